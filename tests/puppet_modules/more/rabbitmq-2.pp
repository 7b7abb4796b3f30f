class { 'rabbitmq': ldap_auth => true, ldap_server => ['l'], admin_enable => false, config_stomp => true, stomp_port => 61613, tcp_keepalive => true, ssl => false }
