class { 'zabbix::agent': server => 'z.example.com', serveractive => 'z', hostmetadataitem => 'system.uname', zabbix_version => '6.0', manage_repo => false }
zabbix::userparameters { 'b': content => 'c' }
