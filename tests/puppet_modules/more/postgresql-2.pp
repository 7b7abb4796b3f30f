class { 'postgresql::server': }
class { 'postgresql::client': }
class { 'postgresql::lib::devel': }
class { 'postgresql::server::contrib': }
postgresql::server::grant { 'all tables': db => 'x', role => 'y', privilege => 'SELECT', object_type => 'ALL TABLES IN SCHEMA', object_name => 'public' }
postgresql::server::tablespace { 'ts': location => '/srv/ts' }
postgresql::server::pg_ident_rule { 'map': map_name => 'm', system_username => 's', database_username => 'd' }
postgresql_psql { 'one': command => 'select 1', db => 'x', unless => 'select 0' }
