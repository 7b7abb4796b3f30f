class { 'nftables': inet_filter => true, in_ssh => true, in_icmp => true, log_prefix => '[n] ', log_limit => '3/minute', reject_with => 'icmpx type port-unreachable', out_all => false, firewalld_enable => false }
nftables::rule { 'default_in-web': content => 'tcp dport 80 accept', order => '50' }
nftables::set { 's': type => 'ipv4_addr', flags => ['interval'], elements => ['10.0.0.0/8', '1.1.1.1'], table => ['inet-filter'] }
nftables::simplerule { 'x': action => 'accept', proto => 'udp', dport => '1-2', saddr => '10.0.0.0/8', counter => true , comment => 'c' }
nftables::chain { 'c': }
nftables::config { 'inet-z': prefix => '' }
include nftables::rules::http
include nftables::rules::out::dns
include nftables::rules::docker_ce
