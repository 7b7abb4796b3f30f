# A host without its folder.
class { 'apache': }
apache::vhost { 'bad.example.com':
  port => 80,
}
