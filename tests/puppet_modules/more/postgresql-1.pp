class { 'postgresql::globals': encoding => 'UTF-8', locale => 'en_US.UTF-8', version => '15' }
class { 'postgresql::server':
  listen_addresses  => '*',
  postgres_password => 'secret',
  ip_mask_allow_all_users => '10.0.0.0/8',
  ipv4acls          => ['hostssl all app 10.0.0.0/8 scram-sha-256', 'local all all peer map=x'],
}
postgresql::server::db { 'app': user => 'app', password => postgresql::postgresql_password('app', 'secret'), grant => 'ALL', comment => 'The app' }
postgresql::server::role { 'reader': password_hash => 'md5xx', connection_limit => '5', createdb => true }
postgresql::server::database_grant { 'g': privilege => 'CONNECT', db => 'app', role => 'reader' }
postgresql::server::config_entry { 'max_connections': value => 200 }
postgresql::server::config_entry { 'shared_buffers': value => '1GB' }
postgresql::server::pg_hba_rule { 'office': type => 'host', database => 'app', user => 'app', address => '10.1.0.0/16', auth_method => 'md5', description => 'Office', order => 5 }
postgresql::server::extension { 'hstore': database => 'app' }
postgresql::server::schema { 's': db => 'app', owner => 'app' }
postgresql::server::table_grant { 't': db => 'app', role => 'reader', table => 'x', privilege => 'SELECT' }
