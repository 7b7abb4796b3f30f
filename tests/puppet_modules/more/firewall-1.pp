class { 'firewall': ensure => running }
firewall { '100 allow ssh': dport => 22, proto => 'tcp', jump => 'accept' }
firewall { '200 drop': proto => 'all', jump => 'drop', before => undef }
firewallchain { 'LOCAL:filter:IPv4': ensure => present, purge => true }
resources { 'firewall': purge => true }
