class { 'prometheus::mysqld_exporter': version => '0.15.0', cnf_user => 'u', cnf_password => Sensitive('p') }
include prometheus::redis_exporter
include prometheus::process_exporter
include prometheus::pushgateway
include prometheus::statsd_exporter
