class { 'rabbitmq': port => 5673, ssl => true, ssl_cert => '/c', ssl_key => '/k', ssl_cacert => '/a', ssl_versions => ['tlsv1.2'], ssl_ciphers => ['ecdhe,aes'], config_cluster => true, cluster_nodes => ['r1', 'r2'], cluster_node_type => 'ram', erlang_cookie => 'E', environment_variables => { 'NODENAME' => 'n' }, config_variables => { 'vm_memory_high_watermark' => 0.5 , 'hipe_compile' => true }, config_kernel_variables => { 'inet' => 9 }, config_additional_variables => { 'x' => '[{a,b}]' } }
rabbitmq_user { 'u': admin => true, password => 'p' }
rabbitmq_vhost { 'v': ensure => present }
rabbitmq_user_permissions { 'u@v': configure_permission => '.*' }
rabbitmq_plugin { 'rabbitmq_shovel': ensure => present }
