class { 'dns': forwarders => ['1.1.1.1', '8.8.8.8'], allow_recursion => ['10.0.0.0/8'], dnssec_validation => 'auto', controls => { '127.0.0.1' => { 'port' => 953, 'allowed_addresses' => ['127.0.0.1'], 'keys' => ['rndc-key'] } }, additional_options => { 'max-cache-ttl' => 3600 }, acls => { 't' => ['10/8', 'localhost'] } }
dns::zone { 'example.com': soa => 'ns.example.com', soaip => '10.0.0.1', reverse => false, allow_transfer => ['x'] }
dns::zone { '0.0.10.in-addr.arpa': reverse => true }
dns::key { 'k': secret => 's' }
dns::logging::channel { 'c': log_type => 'file', file_path => '/l', file_size => '5m', file_versions => 3, severity => 'dynamic' }
dns::logging::category { 'd': channels => ['c'] }
