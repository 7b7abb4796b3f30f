class { 'rsyslog::server': enable_tcp => true, relay_server => false, server_dir => '/s/', custom_config => undef }
rsyslog::database
