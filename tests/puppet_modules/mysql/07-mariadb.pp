# MariaDB with other files and an unmanaged service.
class { 'mysql::server':
  package_name            => 'mariadb-server',
  service_name            => 'mariadb',
  config_file             => '/etc/mysql/mariadb.cnf',
  config_file_mode        => '0640',
  includedir              => '/etc/mysql/mariadb.conf.d',
  service_manage          => false,
  root_password           => Sensitive('very secret'),
  old_root_password       => 'old',
  create_root_my_cnf      => true,
  mysql_group             => 'mysql',
  managed_dirs            => ['tmpdir', 'datadir'],
  mycnf_owner             => 'root',
  mycnf_group             => 'root',
  override_options        => {
    'mysqld' => { 'datadir' => '/srv/mysql', 'tmpdir' => '/srv/tmp', 'log-error' => '/var/log/mysql/mariadb.log', 'user' => 'maria', 'socket' => '/run/m.sock' },
  },
}
