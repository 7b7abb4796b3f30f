class { 'rabbitmq': ssl_only => true }
