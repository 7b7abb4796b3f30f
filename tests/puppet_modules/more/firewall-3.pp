class { 'firewall': ensure => 'maybe' }
