class { 'fail2ban': bantime => 7200, jails => { 'n' => { 'port' => '80', 'logpath' => '/l', 'bantime' => 5 } } }
