include keepalived
keepalived::vrrp::script { 'c': script => '/bin/c', interval => 2, weight => 2 }
keepalived::vrrp::instance { 'V': interface => 'eth0', state => 'MASTER', virtual_router_id => 50, priority => 101, auth_type => 'PASS', auth_pass => 'x', virtual_ipaddress => ['10.0.0.1/29', { 'ip' => '10.0.0.2', 'dev' => 'eth1' }], track_interface => ['eth0'], track_script => ['c'], unicast_peers => ['10.0.0.7'], virtual_routes => [{ 'to' => '1.0.0.0/8', 'via' => '10.0.0.1' }] }
keepalived::vrrp::sync_group { 'g': group => ['V'] }
keepalived::lvs::virtual_server { 'vs': ip_address => '10.0.0.3', port => 80, delay_loop => 7, lb_algo => 'wlc', lb_kind => 'DR', protocol => 'TCP', sorry_server => { 'ip_address' => '10.0.0.4', 'port' => 81 } }
keepalived::lvs::real_server { 'rs': virtual_server => 'vs', ip_address => '10.0.0.5', port => 80, options => { 'weight' => '1', 'TCP_CHECK' => { 'connect_timeout' => 5 } } }
class { 'keepalived::global_defs': notification_email => 'a@b', router_id => 'x' }
