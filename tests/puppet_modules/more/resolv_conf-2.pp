class { 'resolv_conf': }
