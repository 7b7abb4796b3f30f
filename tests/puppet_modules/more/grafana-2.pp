class { 'grafana': install_method => 'archive', plugins => { 'x' => { 'ensure' => 'present' } } }
