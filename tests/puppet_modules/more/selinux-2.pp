class { 'selinux': mode => 'x' }
