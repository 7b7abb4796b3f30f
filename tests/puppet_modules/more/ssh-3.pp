class { 'ssh': storeconfigs_enabled => 'x' }
