# Only the configuration, with an order around it.
class { 'ntp':
  package_manage => false,
  service_manage => false,
  servers        => [],
  pool           => ['2.debian.pool.ntp.org'],
  udlc           => true,
}
notify { 'before': } -> Class['ntp::config'] ~> notify { 'after': }
