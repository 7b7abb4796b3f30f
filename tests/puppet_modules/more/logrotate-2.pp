include logrotate
logrotate::conf { '/etc/l.conf': rotate => 4, rotate_every => 'week', dateext => true }
