ini_setting { 's': ensure => present, path => '/etc/x.ini', section => 'main', setting => 'a', value => 'b' }
ini_subsetting { 't': ensure => present, section => '', key_val_separator => '=', path => '/etc/d', setting => 'OPTS', subsetting => '-Xmx', value => '512m' }
$d = { '/etc/y.ini' => {} }
inifile::create_ini_settings({ 'main' => { 'a' => 'b', 'c' => { 'ensure' => 'absent' } }, 'x' => { 'y' => 1 } }, { 'path' => '/etc/z.ini' })
