include docker
docker::registry { 'r.example.com': username => 'u', password => 'p', email => 'e@x' }
docker::exec { 'e': detach => true, container => 'c', command => 'x', tty => true }
docker::stack { 's': ensure => present, stack_name => 's', compose_files => ['/a'] }
docker::swarm { 'w': init => true, advertise_addr => '10.0.0.5', listen_addr => '10.0.0.5' }
docker::services { 'r': create => true,  service_name => 'r', image =>  publish => '6379:6379', replicas => '5', mounts => ['type=bind,source=/a,target=/b'], extra_params => ['--update-delay 1m'] }
