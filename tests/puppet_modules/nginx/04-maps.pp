# Maps, networks and snippets.
class { 'nginx': }
nginx::resource::map { 'backend':
  string    => '$http_host',
  default   => 'pool_1',
  hostnames => true,
  mappings  => { '*.a.example.com' => 'pool_2', '~^b' => 'pool_3', 'c.example.com' => '' },
}
nginx::resource::map { 'list':
  string        => '$uri',
  mappings      => [{ 'key' => '~*\.png$', 'value' => 'image' }, { 'key' => '/x', 'value' => 'y' }],
  include_files => ['/etc/nginx/a.map'],
}
nginx::resource::geo { 'client':
  networks        => { '10.0.0.0/8' => 'inside', '192.168.0.0/16' => 'other', '1.2.3.4' => 'one' },
  default         => 'outside',
  proxies         => ['10.0.0.1', '10.0.0.2'],
  proxy_recursive => true,
  delete          => '127.0.0.0/16',
  address         => '$remote_addr',
}
nginx::resource::snippet { 'headers':
  raw_content => "add_header X-A b;\nadd_header X-C d;\n",
}
nginx::resource::server { 'maps.example.com':
  www_root        => '/srv/maps',
  string_mappings => { 'inner' => { 'string' => '$host', 'mappings' => [{ 'key' => 'a', 'value' => 'b' }] } },
  geo_mappings    => { 'inner_geo' => { 'networks' => { '10.0.0.0/8' => '1' } } },
  include_files   => ['snippets/headers.conf'],
  maintenance     => true,
  maintenance_value => 'return 503',
}
