# Everything from hashes.
class { 'nginx':
  nginx_servers            => {
    'a.example.com' => { 'www_root' => '/srv/a' },
    'b.example.com' => { 'proxy' => 'http://b', 'access_log' => 'off', 'error_log' => 'absent' },
  },
  nginx_servers_defaults   => { 'listen_port' => 8080 },
  nginx_upstreams          => { 'b' => { 'members' => { 'x' => { 'server' => 'localhost', 'port' => 1 } } } },
  nginx_upstreams_defaults => { 'keepalive' => 4 },
  nginx_locations          => { 'l' => { 'location' => '/l', 'server' => 'a.example.com', 'www_root' => '/srv/l' } },
  nginx_locations_defaults => { 'expires' => 'max' },
  string_mappings          => { 'm' => { 'string' => '$host', 'mappings' => { 'a' => 'b' } } },
  geo_mappings             => { 'g' => { 'networks' => { '10.0.0.0/8' => 'x' }, 'ranges' => false } },
  nginx_snippets           => { 's' => { 'raw_content' => 'x;' } },
  nginx_streamhosts        => { 'st' => { 'listen_port' => 99, 'proxy' => 'x' } },
  nginx_mailhosts          => { 'ma' => { 'listen_port' => 25 } },
  stream                   => true,
  mail                     => true,
  confd_only               => true,
}
