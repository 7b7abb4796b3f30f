# Bindings for languages.
class { 'mysql::bindings':
  java_enable   => true,
  perl_enable   => true,
  php_enable    => true,
  python_enable => true,
  ruby_enable   => true,
  client_dev    => true,
  daemon_dev    => true,
  python_package_name => 'python3-mysqldb',
}
class { 'mysql::client':
  package_name    => 'mariadb-client',
  package_ensure  => 'present',
}
