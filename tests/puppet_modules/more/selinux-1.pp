class { 'selinux': mode => 'enforcing', type => 'targeted' }
selinux::boolean { 'b': ensure => 'on', persistent => true }
selinux::port { 'p': seltype => 't', protocol => 'tcp', port => 80 }
selinux::fcontext { 'f': seltype => 't', pathspec => '/x(/.*)?' }
selinux::permissive { 'o': ensure => present }
