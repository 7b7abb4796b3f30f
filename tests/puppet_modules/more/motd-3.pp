class { 'motd': content => 5 }
