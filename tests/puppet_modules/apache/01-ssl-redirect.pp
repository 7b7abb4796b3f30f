# A site that sends plain requests to its encrypted host.
class { 'apache':
  default_vhost    => false,
  server_tokens    => 'Minimal',
  server_signature => 'Off',
  trace_enable     => 'Off',
  timeout          => 120,
  log_level        => 'info',
  keepalive        => 'On',
}
apache::vhost { 'www.example.com plain':
  servername      => 'www.example.com',
  port            => 80,
  docroot         => '/srv/www',
  redirect_status => 'permanent',
  redirect_dest   => 'https://www.example.com/',
}
apache::vhost { 'www.example.com tls':
  servername           => 'www.example.com',
  serveraliases        => ['example.com', 'web.example.com'],
  port                 => 443,
  docroot              => '/srv/www',
  docroot_owner        => 'deploy',
  docroot_group        => 'www-data',
  docroot_mode         => '2775',
  ssl                  => true,
  ssl_cert             => '/etc/ssl/certs/www.pem',
  ssl_key              => '/etc/ssl/private/www.key',
  ssl_chain            => '/etc/ssl/certs/chain.pem',
  ssl_protocol         => ['all', '-SSLv3', '-TLSv1'],
  ssl_cipher           => 'HIGH:!aNULL',
  ssl_honorcipherorder => true,
  ssl_verify_client    => 'optional',
  ssl_verify_depth     => 3,
  ssl_options          => ['+StdEnvVars', '+ExportCertData'],
  ssl_stapling         => true,
  headers              => ['always set Strict-Transport-Security "max-age=63072000"'],
}
