# Groups of servers with every way to choose among them.
class { 'nginx': }
nginx::resource::upstream { 'app':
  members            => {
    'one' => { 'server' => '10.0.0.1', 'port' => 8080, 'weight' => 3, 'max_fails' => 2, 'fail_timeout' => '10s' },
    'two' => { 'server' => '10.0.0.2', 'port' => 8080, 'backup' => true },
    'three' => { 'server' => 'unix:/run/app.sock', 'comment' => 'local' },
  },
  least_conn         => true,
  keepalive          => 16,
  zone               => 'app 64k',
  cfg_append         => { 'check' => 'interval=3000', 'x' => ['1', '2'] },
  cfg_prepend        => { 'a' => { 'b' => 'c' } },
}
nginx::resource::upstream { 'hashed':
  hash            => '$request_uri consistent',
  member_defaults => { 'port' => 81, 'weight' => 2, 'state' => 'down' },
  members         => { '10.0.0.3' => {}, '10.0.0.4' => { 'port' => 82 } },
}
nginx::resource::upstream { 'sticky':
  ip_hash => false,
  sticky  => { 'cookie' => { 'name' => 'srv', 'expires' => '1h', 'domain' => '.example.com', 'path' => '/' } },
  members => { 'localhost' => {} },
}
nginx::resource::upstream { 'exported':
  members_tag => 'exported',
  ip_hash     => true,
}
nginx::resource::upstream::member { 'x':
  upstream => 'app2',
  server   => '10.1.1.1',
  port     => 99,
  slow_start => '30s',
  params_append => 'extra',
}
nginx::resource::upstream { 'app2':
  queue_max     => 10,
  queue_timeout => '60s',
  random        => 'two',
}
