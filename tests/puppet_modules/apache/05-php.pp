# PHP in the server, and PHP through a socket.
class { 'apache':
  default_vhost => false,
  mpm_module    => 'prefork',
}
class { 'apache::mod::php':
  php_version => '8.2',
}
apache::vhost { 'php.example.com':
  port             => 80,
  docroot          => '/srv/php',
  override         => ['All'],
  php_flags        => { 'display_errors' => 'off' },
  php_values       => { 'memory_limit' => '256M', 'include_path' => '.:/usr/share' },
  php_admin_flags  => { 'engine' => 'on' },
  php_admin_values => ['open_basedir /srv', 'x y'],
}
class { 'apache::mod::proxy':
  proxy_requests => 'Off',
}
include apache::mod::proxy_fcgi
apache::vhost { 'fpm.example.com':
  port            => 80,
  docroot         => '/srv/fpm',
  custom_fragment => "ProxyPassMatch ^/(.*\\.php)$ unix:/run/php.sock|fcgi://localhost/srv/fpm/\n",
  directories     => [{
    'path'       => '\.php$',
    'provider'   => 'filesmatch',
    'sethandler' => 'proxy:unix:/run/php/php8.2-fpm.sock|fcgi://localhost',
  }],
}
