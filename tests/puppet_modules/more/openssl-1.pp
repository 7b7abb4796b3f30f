include openssl
openssl::certificate::x509 { 'c': country => 'DE', organization => 'O', commonname => 'c.example.com', altnames => ['a', 'b'], base_dir => '/etc/ssl', days => 100, password => 'p', extkeyusage => ['clientAuth'] }
openssl::export::pkcs12 { 'e': basedir => '/e', pkey => '/k', cert => '/c' }
openssl::dhparam { '/d.pem': size => 2048 }
openssl::config { '/o.cnf': commonname => 'x', country => 'US', organization => 'y' }
