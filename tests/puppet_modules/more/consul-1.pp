class { 'consul': version => '1.16.0', config_hash => { 'bootstrap_expect' => 1, 'data_dir' => '/opt/consul', 'datacenter' => 'd', 'server' => true, 'ports' => { 'http' => 8500 }, 'list' => [1, 'a', true] }, pretty_config => true }
consul::service { 'r': checks => [{ 'args' => ['/c'], 'interval' => '10s' }], port => 6379, tags => ['m'] }
consul::check { 'c': args => ['/x'], interval => '30s' }
consul::watch { 'w': type => 'nodes', handler => '/h' }
