# A profile that joins the server with files and order of its own.
class profile::db(
  Hash[String[1], Hash] $schemas = {},
  Sensitive[String] $root        = Sensitive('top'),
) {
  class { 'mysql::server':
    root_password    => $root,
    override_options => deep_merge({ 'mysqld' => { 'max_connections' => 10 } }, lookup('mysql_extra', { 'default_value' => { 'mysqld' => { 'port' => 3310 } } })),
  }
  $schemas.each |$schema, $settings| {
    mysql::db { $schema:
      * => { 'user' => $schema, 'password' => fqdn_rand_string(12, '', $schema) } + $settings,
    }
  }
  file { '/etc/db.yaml':
    content => to_yaml($schemas),
    require => Mysql::Db[keys($schemas)],
  }
}
class { 'profile::db':
  schemas => {
    'one' => { 'grant' => ['SELECT'] },
    'two' => { 'host' => '10.%', 'password' => 'fixed' },
  },
}
Mysql_user <| |> -> notify { 'users are there': }
