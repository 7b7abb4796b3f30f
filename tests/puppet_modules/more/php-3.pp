class { 'php': ensure => 5 }
