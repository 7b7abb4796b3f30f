include systemd
systemd::unit_file { 'bad/name.service': content => 'x' }
