class { 'php':
  ensure     => latest, manage_repos => false, fpm => true, dev => true, composer => true, pear => true,
  settings   => { 'PHP/max_execution_time' => '90', 'Date/date.timezone' => 'UTC' },
  extensions => { 'mbstring' => {}, 'redis' => { 'provider' => 'pecl', 'settings' => { 'x' => 'y' } }, 'opcache' => { 'zend' => true } },
}
php::fpm::pool { 'app': user => 'app', group => 'app', listen => '/run/a.sock', pm => 'dynamic', pm_max_children => 10, php_admin_value => { 'a' => 'b' }, php_flag => { 'c' => 'on' }, env_value => { 'P' => 'x' } }
