# A server with options, users, grants and databases from hashes.
class { 'mysql::server':
  root_password           => 'secret',
  remove_default_accounts => true,
  restart                 => true,
  purge_conf_dir          => true,
  reload_on_config_change => true,
  override_options        => {
    'mysqld'      => {
      'max_connections'   => 500,
      'bind-address'      => '0.0.0.0',
      'skip-name-resolve' => true,
      'ssl'               => false,
      'log-bin'           => '/var/lib/binlog/bin',
      'replicate-do-db'   => ['a', 'b'],
      'key_buffer_size'   => '64M',
      'log-error'         => undef,
      'server-id'         => 1,
    },
    'mysqld_safe' => { 'nice' => 0 },
    'client'      => { 'port' => 3307 },
    'isamchk'     => { 'key_buffer' => '16M' },
    'own'         => { 'x' => '' },
  },
  users                   => {
    'app@localhost' => { 'ensure' => 'present', 'max_connections_per_hour' => '0', 'password_hash' => '*0D1CED9BEC10A777AEC23CCC353A8C08A633045E' },
    'old@%'         => { 'ensure' => 'absent' },
  },
  grants                  => {
    'app@localhost/app.*' => {
      'ensure'     => 'present',
      'options'    => ['GRANT'],
      'privileges' => ['SELECT', 'INSERT'],
      'table'      => 'app.*',
      'user'       => 'app@localhost',
    },
  },
  databases               => {
    'app' => { 'ensure' => 'present', 'charset' => 'utf8mb4', 'collate' => 'utf8mb4_general_ci' },
  },
}
