# Type aliases of stdlib guard parameters.
define checked(
  Stdlib::Absolutepath $path,
  Stdlib::Port $port = 80,
  Stdlib::Ensure::Service $ensure = 'running',
  Optional[Stdlib::HTTPUrl] $url = undef,
  Stdlib::Filemode $mode = '0644',
) {
  file { $path:
    mode    => $mode,
    content => "${port} ${url}\n",
  }
  service { $title:
    ensure => $ensure,
  }
}
checked { 'one':
  path => '/etc/one',
}
checked { 'two':
  path   => '/etc/two',
  port   => 8080,
  url    => 'https://example.com/x',
  ensure => 'stopped',
}
create_resources('checked', { 'three' => { 'path' => '/etc/three', 'mode' => '0600' } })
