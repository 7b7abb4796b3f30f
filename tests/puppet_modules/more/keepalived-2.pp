class { 'keepalived': service_ensure => 'nope' }
