include logrotate
logrotate::rule { 'bad': path => '/a', rotate_every => 'century' }
