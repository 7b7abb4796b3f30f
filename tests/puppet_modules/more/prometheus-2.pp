class { 'prometheus::node_exporter': version => '1.8.0', collectors_enable => ['systemd'], collectors_disable => ['zfs'], extra_options => '--a' }
class { 'prometheus::alertmanager': version => '0.27.0', route => { 'receiver' => 'r' }, receivers => [{ 'name' => 'r' }] }
class { 'prometheus::blackbox_exporter': version => '0.25.0', modules => { 'h' => { 'prober' => 'http' } } }
