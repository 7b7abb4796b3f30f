# Two virtual hosts.
class { 'apache': }
apache::vhost { 'www.example.com':
  port    => 80,
  docroot => '/var/www/www',
  aliases => [{ 'alias' => '/static', 'path' => '/srv/static' }],
}
apache::vhost { 'ssl.example.com':
  port     => 443,
  ssl      => true,
  docroot  => '/var/www/ssl',
  ssl_cert => '/etc/ssl/a.pem',
  ssl_key  => '/etc/ssl/a.key',
}
