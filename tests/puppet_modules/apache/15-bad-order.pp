# A host before the server.
apache::vhost { 'early.example.com':
  port    => 80,
  docroot => '/srv/early',
}
