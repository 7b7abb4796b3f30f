class { 'ssh::server': storeconfigs_enabled => false, options => { 'Port' => 22 }, validate_sshd_file => true, use_issue_net => false }
ssh::server::host_key { 'ssh_host_rsa_key': private_key_content => 'p', public_key_content => 'q' }
ssh::server::options { 'o': order => 5, options => { 'A' => 'b' } }
