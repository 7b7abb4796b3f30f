class { 'collectd': purge_config => true, minimum_version => '5.8', typesdb => ['/a', '/b'] }
include collectd::plugin::cpu
class { 'collectd::plugin::write_graphite': carbons => { 'c' => { 'graphitehost' => 'g', 'graphiteport' => 2003 } } }
class { 'collectd::plugin::df': fstypes => ['ext4'], ignoreselected => false, mountpoints => ['/x'] }
class { 'collectd::plugin::network': timetolive => '70', servers => { 'h' => { 'port' => 25826, 'securitylevel' => 'Sign', 'username' => 'u', 'password' => 'p' } } }
class { 'collectd::plugin::python': modulepaths => ['/p'], modules => { 'm' => { 'config' => [{ 'Verbose' => true, 'X' => ['a', 'b'] }] } } }
collectd::plugin::tail::file { 't': filename => '/l', instance => 'i', matches => [{ 'regex' => 'r', 'dstype' => 'CounterInc', 'type' => 'c', 'instance' => 'x' }] }
class { 'collectd::plugin::exec': commands => { 'h' => { 'user' => 'u', 'group' => 'g', 'exec' => ['/b', 'c'] } } }
class { 'collectd::plugin::mysql': }
collectd::plugin::mysql::database { 'b': database => 'd', host => 'h', username => 'u', password => 'p', port => 3306 }
class { 'collectd::plugin::apache': instances => { 'a' => { 'url' => 'http://l', 'user' => 'u' } } }
class { 'collectd::plugin::snmp': data => { 'a' => { 'type' => 't', 'table' => false, 'instance' => 'i', 'values' => ['x'] } }, hosts => { 'h' => { 'address' => '1', 'version' => 1, 'community' => 'c', 'collect' => ['a'], 'interval' => 10 } } }
