class { 'grafana': install_method => 'x' }
