# Two ways to answer at once.
class { 'nginx': }
nginx::resource::server { 'bad.example.com': }
nginx::resource::location { 'both':
  location       => '/x',
  server         => 'bad.example.com',
  www_root       => '/srv/x',
  location_alias => '/srv/y',
}
