# Locations of many kinds.
class { 'nginx':
  manage_repo => false,
}
nginx::resource::server { 'loc.example.com':
  www_root             => '/srv/loc',
  use_default_location => false,
}
nginx::resource::location {
  default:
    server => 'loc.example.com',
    ;
  'static':
    location    => '~* \.(png|jpg)$',
    www_root    => '/srv/static',
    expires     => '30d',
    add_header  => { 'Cache-Control' => 'public' },
    gzip_static => 'on',
    ;
  'alias':
    location       => '/files/',
    location_alias => '/srv/files/',
    autoindex      => 'on',
    autoindex_format => 'json',
    index_files    => [],
    ;
  'app':
    location              => '/app',
    proxy                 => 'http://127.0.0.1:3000',
    proxy_set_header      => ['Host $host', 'X-Real-IP $remote_addr'],
    proxy_hide_header     => ['X-Powered-By'],
    proxy_http_version    => '1.1',
    proxy_buffering       => 'off',
    proxy_cache           => 'zone',
    proxy_cache_valid     => ['200 10m', '404 1m'],
    proxy_cache_bypass    => ['$cookie_a', '$arg_b'],
    proxy_redirect        => 'off',
    proxy_next_upstream   => 'error timeout',
    location_allow        => ['10.0.0.0/8', '127.0.0.1'],
    location_deny         => ['all'],
    priority              => 450,
    ;
  'php':
    location      => '~ \.php$',
    fastcgi       => 'unix:/run/php.sock',
    fastcgi_index => 'index.php',
    fastcgi_param => { 'APP_ENV' => 'prod', 'X' => '$y' },
    fastcgi_split_path => '^(.+\.php)(/.*)$',
    include       => ['fastcgi.conf'],
    ;
  'uwsgi':
    location           => '/py',
    uwsgi              => 'unix:/run/uwsgi.sock',
    uwsgi_param        => { 'SCRIPT_NAME' => '/py' },
    uwsgi_read_timeout => '60s',
    ;
  'status':
    location    => '= /status',
    stub_status => true,
    internal    => true,
    ;
  'raw':
    location            => '/raw',
    raw_prepend         => ['set $a 1;'],
    raw_append          => ['return 204;'],
    location_custom_cfg => { 'return' => '301 /new', 'if ($a)' => { 'set' => ['$b 1', '$c 2'] } },
    rewrite_rules       => ['^/raw/(.*)$ /r/$1 last'],
    ;
  'empty':
    location => '/empty',
    location_cfg_prepend => { 'etag' => 'on' },
    mp4 => true,
    flv => true,
    try_files => ['$uri', '/none'],
    limit_zone => ['one burst=5', 'two'],
}
nginx::resource::location { 'shared':
  location => '/shared',
  server   => ['loc.example.com', 'tls.example.com'],
  www_root => '/srv/shared',
  ssl      => true,
}
nginx::resource::server { 'tls.example.com':
  ssl       => true,
  ssl_cert  => '/etc/ssl/a.pem',
  ssl_key   => '/etc/ssl/a.key',
  listen_port => 443,
  locations => {
    'nested'  => { 'location' => '/nested', 'proxy' => 'http://nested' },
    'nested2' => { 'location' => '/nested2', 'ssl_only' => true, 'www_root' => '/srv/nested' },
  },
  locations_defaults => { 'priority' => 470 },
}
