class { 'php': fpm => false, apache_config => true, manage_repos => false, settings => { 'A/b' => 'c' } }
php::extension { 'imagick': ensure => present, package_prefix => 'php8.2-', header_packages => ['libx'] }
