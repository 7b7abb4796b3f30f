sudo::conf { 'x': content => 'y' }
