# Encryption without a key.
class { 'nginx': }
nginx::resource::server { 'bad.example.com':
  ssl      => true,
  ssl_cert => '/etc/ssl/a.pem',
}
