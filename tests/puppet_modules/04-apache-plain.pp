# A web server with the defaults of Debian.
class { 'apache':
  default_vhost => false,
  mpm_module    => 'event',
}
