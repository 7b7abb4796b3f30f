class { 'nodejs': manage_package_repo => false, nodejs_dev_package_ensure => 'present', npm_package_ensure => 'present' }
nodejs::npm { 'express in /srv': ensure => '4.0.0', package => 'express', target => '/srv', install_options => ['--x'] }
nodejs::npm::global_config_entry { 'proxy': ensure => 'present', value => 'http://p' }
package { 'pm2': ensure => present, provider => 'npm' }
