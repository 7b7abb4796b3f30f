class { 'sudo': purge => true, config_file_replace => false }
sudo::conf { 'admins': priority => 10, content => '%admins ALL=(ALL) NOPASSWD: ALL' }
sudo::conf { 'list': content => ['a', 'b'], ensure => 'present' }
sudo::defaults { 'u': parameters => ['!lecture', 'x'], type => 'user', list => ['a'] }
sudo::rules { 'r': priority => 20, content => 'x' }
