class { 'lvm': volume_groups => { 'vg' => { 'physical_volumes' => ['/dev/sda1'], 'logical_volumes' => { 'lv' => { 'size' => '1G', 'mountpath' => '/srv', 'fs_type' => 'ext4' } } } }, manage_pkg => true }
lvm::volume { 'v': ensure => present, vg => 'v', pv => '/dev/h', fstype => 'ext3', size => '2G' }
