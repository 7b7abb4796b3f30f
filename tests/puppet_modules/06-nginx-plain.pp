# A reverse proxy.
class { 'nginx':
  manage_repo => false,
}
nginx::resource::upstream { 'app':
  members => {
    'localhost:3000' => { server => 'localhost', port => 3000 },
    'localhost:3001' => { server => 'localhost', port => 3001, weight => 2 },
  },
}
nginx::resource::server { 'www.example.com':
  proxy => 'http://app',
}
