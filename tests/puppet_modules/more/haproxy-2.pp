include haproxy
haproxy::defaults { 'd': options => { 'mode' => 'http' } }
haproxy::balancermember { 'x': listening_service => 'b', ports => [80, 81], define_cookies => true, defaults => 'd' }
haproxy::backend { 'b': defaults => 'd' }
