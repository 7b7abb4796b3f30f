class { 'docker':
  tcp_bind => ['tcp://127.0.0.1:2375'], dns => '8.8.8.8', docker_users => ['alice', 'bob'], log_driver => 'json-file', log_opt => ['max-size=10m'],
  extra_parameters => ['--a', '--b'], proxy => 'http://p:3128', labels => ['x=y'],
}
docker::image { 'ubuntu': image_tag => ['22.04'] }
docker::image { 'img': docker_file => '/tmp/Dockerfile' }
docker::run { 'web': image => 'nginx', ports => ['80:80'], volumes => ['/a:/b'], env => ['A=b'], memory_limit => '100m', net => ['x', 'y'], hostname => 'h', command => '/bin/x', extra_parameters => ['--restart=always'], depends => ['db'] }
docker::run { 'db': image => 'mysql', restart => 'always', health_check_cmd => 'true' }
docker_network { 'n': ensure => present, subnet => '10.9.0.0/16' }
docker_volume { 'v': ensure => present }
