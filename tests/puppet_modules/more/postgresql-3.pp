class { 'postgresql::server': }
postgresql::server::pg_hba_rule { 'bad': type => 'host', database => 'a', user => 'b', auth_method => 'md5' }
