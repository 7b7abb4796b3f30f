class { 'squid': cache_mem => '512 MB', workers => 3, coredump_dir => '/c', snmp_ports => {}, logformat => 'squid %ts' }
squid::acl { 'a': type => 'port', entries => ['80', '443'], comment => 'x' }
squid::http_access { 'a': action => 'allow' }
squid::http_port { '3128': options => 'accel' }
squid::cache_dir { '/d': type => 'ufs', options => '1 2 3', process_number => 2 }
squid::auth_param { 'b': scheme => 'basic', entries => ['program /x', 'children 5'] }
squid::extra_config_section { 'e': config_entries => { 'k' => 'v', 'l' => ['a', 'b'] } }
squid::refresh_pattern { '^ftp:': min => 1440, max => 10080, percent => 20, order => '50' }
