class { 'redis': bind => ['127.0.0.1', '10.0.0.5'], port => 6380, requirepass => 'p', maxmemory => '1gb', maxmemory_policy => 'allkeys-lru', save_db_to_disk => true, save_db_to_disk_interval => { '900' => '1', '300' => '10' }, appendonly => true, rename_commands => { 'FLUSHALL' => '' } }
redis::instance { 'r2': port => 6381 }
