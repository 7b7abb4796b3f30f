class { 'motd': content => "Hello ${facts['networking']['fqdn']}\n", issue_content => 'Issue', issue_net_content => 'Net', dynamic_motd => false }
