class { 'resolv_conf': nameservers => ['10.0.0.2', '10.0.0.3'], searchpath => ['a.example.com', 'b'], options => ['timeout:1', 'rotate'], domainname => undef }
