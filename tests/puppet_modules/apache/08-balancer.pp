# A balancer with members.
class { 'apache': }
apache::balancer { 'app':
  collect_exported => false,
  proxy_set        => { 'stickysession' => 'JSESSIONID', 'lbmethod' => 'bytraffic' },
  options          => ['ping=5'],
}
['a', 'b', 'c'].each |$name| {
  apache::balancermember { "${facts['networking']['hostname']}-${name}":
    balancer_cluster => 'app',
    url              => "ajp://${name}.example.com:8009",
    options          => ['ping=5', 'retry=60', "route=${name}"],
  }
}
apache::vhost { 'balanced.example.com':
  port       => 80,
  docroot    => '/srv/balanced',
  proxy_pass => [{ 'path' => '/', 'url' => 'balancer://app' }],
}
