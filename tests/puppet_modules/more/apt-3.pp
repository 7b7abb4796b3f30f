include apt
apt::source { 'bad': release => 'stable' }
