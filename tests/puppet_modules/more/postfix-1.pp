class { 'postfix': inet_interfaces => 'all', relayhost => '[r.example.com]:25', mydestination => 'a, b', root_mail_recipient => 'x@y', smtp_listen => 'all', satellite => false, mta => true, mynetworks => '127.0.0.0/8' }
postfix::config { 'smtp_tls': value => 'yes' }
postfix::config { 'gone': ensure => 'blank' }
postfix::hash { '/etc/postfix/h': ensure => 'present' }
postfix::virtual { 'v@x': destination => ['a', 'b'] }
postfix::transport { 'd.com': destination => 'smtp:[x]' , nexthop => 'y' }
postfix::mailalias { 'p': recipient => 'q' }
postfix::map { 'm': content => 'x', type => 'pcre' }
postfix::canonical { 'c@d': destination => 'e', file => '/etc/postfix/c' }
