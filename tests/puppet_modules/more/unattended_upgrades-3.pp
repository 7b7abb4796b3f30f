class { 'unattended_upgrades': enable => 'x' }
