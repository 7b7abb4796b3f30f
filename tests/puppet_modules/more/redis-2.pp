include redis
class { 'redis::sentinel': master_name => 'm', redis_host => '10.0.0.1', quorum => 2, auth_pass => 'x', failover_timeout => 30000 }
