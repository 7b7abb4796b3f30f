class { 'chrony': servers => 'x', port => 'y' }
