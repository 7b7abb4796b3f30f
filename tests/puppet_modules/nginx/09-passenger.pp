# A server with passenger, old SPDY names and Lua.
class { 'nginx':
  manage_repo    => false,
  package_source => 'passenger',
  http_cfg_append => { 'passenger_root' => '/usr/lib/ruby', 'passenger_ruby' => '/usr/bin/ruby' },
}
nginx::resource::server { 'ruby.example.com':
  www_root             => '/srv/ruby/public',
  passenger_cgi_param  => { 'HTTP_X' => 'y' },
  passenger_set_header => { 'X-A' => 'b' },
  passenger_env_var    => { 'RAILS_ENV' => 'production' },
  passenger_pre_start  => ['http://ruby.example.com', 'http://localhost'],
  rewrite_www_to_non_www => true,
  log_by_lua           => 'ngx.log(ngx.ERR, "x")',
  fastcgi              => '127.0.0.1:9000',
  fastcgi_script       => '/srv/x.php',
  fastcgi_param        => { 'A' => 'b' },
}
nginx::resource::server { 'nonwww.example.com':
  rewrite_non_www_to_www => true,
  ssl                    => true,
  ssl_cert               => ['/etc/a.pem', '/etc/b.pem'],
  ssl_key                => ['/etc/a.key', '/etc/b.key'],
  ssl_client_cert        => '/etc/ca.pem',
  ssl_verify_client      => 'optional',
  ssl_verify_depth       => 2,
  uwsgi                  => 'localhost:3031',
  autoindex              => 'on',
  listen_unix_socket_enable => true,
  listen_unix_socket     => ['/run/a.sock', '/run/b.sock'],
  access_log             => ['/var/log/a.log', '/var/log/b.log'],
}
