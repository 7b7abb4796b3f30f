class { 'motd': template => 'motd/motd.epp', issue_template => 'motd/motd.epp' }
