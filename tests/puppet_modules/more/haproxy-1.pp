class { 'haproxy':
  global_options   => { 'log' => "${facts['networking']['ip']} local0", 'chroot' => '/var/lib/haproxy', 'maxconn' => '4000', 'daemon' => '', 'stats' => 'socket /run/x' },
  defaults_options => { 'log' => 'global', 'option' => ['redispatch', 'httplog'], 'timeout' => ['client 1m', 'server 1m'] },
}
haproxy::listen { 'puppet': ipaddress => $facts['networking']['ip'], ports => '8140', mode => 'tcp', options => { 'option' => ['tcplog'], 'balance' => 'roundrobin' } }
haproxy::balancermember { 'm1': listening_service => 'puppet', server_names => ['a', 'b'], ipaddresses => ['10.0.0.1', '10.0.0.2'], ports => '8140', options => 'check', weight => 5 }
haproxy::frontend { 'fe': bind => { '0.0.0.0:80' => [], ':443' => ['ssl', 'crt x.pem'] }, mode => 'http', options => [{ 'acl' => 'x path /y' }, { 'use_backend' => ['be if x'] }, { 'default_backend' => 'be' }] }
haproxy::backend { 'be': options => { 'option' => ['forwardfor'], 'cookie' => 'S insert' }, sort_options_alphabetic => false }
haproxy::userlist { 'ul': users => ['u insecure-password p'], groups => ['g users u'] }
haproxy::peers { 'ps': collect_exported => false }
haproxy::peer { 'p1': peers_name => 'ps', port => 1024, ipaddresses => '10.0.0.9', server_names => 'n' }
haproxy::resolver { 'rs': nameservers => { 'd' => '1.1.1.1:53' }, hold => { 'valid' => '1s' }, resolve_retries => 3, timeout => { 'retry' => '1s' }, accepted_payload_size => 512 }
haproxy::mailer { 'ml': mailers_name => 'mm', port => 25, ipaddresses => '10.0.0.8' }
haproxy::mapfile { 'mf': ensure => 'present', mappings => [{ 'a' => 'b' }, 'c d'] }
