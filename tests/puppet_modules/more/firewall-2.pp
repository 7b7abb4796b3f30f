class { 'firewall': ensure => 'stopped', ensure_v6 => 'running', pkg_ensure => 'latest' }
