class { 'sudo': configs => { 'a' => { 'content' => 'b', 'priority' => 5 } }, enable => false , extra_include_dirs => ['/x'] }
