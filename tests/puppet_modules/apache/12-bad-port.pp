# A port out of its range.
class { 'apache': }
apache::vhost { 'bad.example.com':
  port    => 70000,
  docroot => '/srv/bad',
}
