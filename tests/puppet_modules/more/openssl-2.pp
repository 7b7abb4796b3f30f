openssl::certificate::x509 { 'c': commonname => 'x' }
