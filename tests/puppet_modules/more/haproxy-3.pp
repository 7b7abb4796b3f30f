include haproxy
haproxy::listen { 'l': ports => '99999', ipaddress => 'bad ip!', bind => { 'x' => [] } }
