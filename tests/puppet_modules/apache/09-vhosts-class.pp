# Hosts from a hash, listeners and named configurations.
class { 'apache':
  default_vhost     => false,
  default_ssl_vhost => true,
  log_formats       => { 'vhost' => '%v %h %t \"%r\" %>s %b', 'short' => '%h %r' },
  purge_configs     => false,
  root_directory_options => ['FollowSymLinks'],
  root_directory_secured => true,
}
class { 'apache::vhosts':
  vhosts => {
    'one.example.com' => { 'docroot' => '/srv/one', 'port' => 80 },
    'two.example.com' => { 'docroot' => '/srv/two', 'port' => 8080, 'priority' => 10, 'ip' => ['10.0.0.5', '127.0.0.1'], 'ip_based' => true },
  },
}
apache::listen { '10.0.0.5:8443': }
apache::namevirtualhost { '*:8080': }
apache::vhost::custom { 'raw':
  content  => "<VirtualHost *:81>\n  ServerName raw\n</VirtualHost>\n",
  priority => 5,
}
apache::vhost { 'three.example.com':
  port    => 80,
  docroot => '/srv/three',
  ensure  => 'absent',
}
apache::vhost::fragment { 'extra of one':
  vhost   => 'one.example.com',
  port    => 80,
  content => "  # extra\n",
  order   => 15,
}
apache::custom_config { 'secret':
  content       => Sensitive("SetEnv TOKEN x\n"),
  priority      => false,
  verify_config => false,
  owner         => 'root',
  file_mode     => '0600',
}
