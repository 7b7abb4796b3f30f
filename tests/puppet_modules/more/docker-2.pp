class { 'docker': ensure => absent }
class { 'docker::compose': ensure => present, version => '2.0.0' }
docker_compose { 's': compose_files => ['/a'], ensure => present }
