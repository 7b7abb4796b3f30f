class { 'redis': port => 'x' }
