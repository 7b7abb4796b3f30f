# A proxy in front of two applications.
class { 'apache':
  default_vhost => false,
  mpm_module    => 'worker',
}
apache::vhost { 'proxy.example.com':
  port                => 8080,
  docroot             => false,
  manage_docroot      => false,
  proxy_preserve_host => true,
  proxy_requests      => false,
  proxy_add_headers   => true,
  proxy_pass          => [
    {
      'path'            => '/app',
      'url'             => 'http://localhost:9000/app',
      'params'          => { 'retry' => 0, 'timeout' => 5 },
      'keywords'        => ['nocanon', 'interpolate'],
      'reverse_cookies' => [{ 'path' => '/app', 'url' => 'http://localhost:9000' }],
      'setenv'          => ['proxy-nokeepalive 1'],
    },
    {
      'path'          => '/other',
      'url'           => 'http://10.0.0.9/other',
      'no_proxy_uris' => ['/other/static', '/other/media'],
      'options'       => { 'Require' => 'valid-user' },
    },
  ],
  proxy_pass_match    => [{ 'path' => '^/img/(.*)$', 'url' => 'http://images.example.com/$1' }],
  no_proxy_uris       => ['/health'],
  request_headers     => ['set X-Forwarded-Proto "http"'],
  error_documents     => [{ 'error_code' => '503', 'document' => '/maintenance.html' }],
}
apache::vhost { 'dest.example.com':
  port       => 8081,
  docroot    => '/srv/dest',
  proxy_dest => 'http://backend.example.com',
}
