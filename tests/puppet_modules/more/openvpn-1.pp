openvpn::server { 's': country => 'DE', province => 'B', city => 'B', organization => 'o', email => 'a@b', server => '10.9.0.0 255.255.255.0', push => ['route 1', 'dns 2'], local => '1.2.3.4', management => true, custom_options => { 'a' => 'b', 'c' => true } }
openvpn::client { 'c': server => 's', remote_host => 'h', custom_options => { 'x' => 'y' } }
openvpn::client { 'cc': server => 's' }
openvpn::client_specific_config { 'cc': server => 's', ifconfig => '10.9.0.50 255.255.255.0', dhcp_options => ['DNS 8'], route => ['1 2'] }
