# A server that is removed.
class { 'mysql::server':
  package_ensure     => 'absent',
  service_enabled    => false,
  manage_config_file => false,
  create_root_user   => false,
}
class { 'mysql::client':
  package_ensure => 'absent',
}
