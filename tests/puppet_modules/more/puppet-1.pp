class { 'puppet': server => false, runmode => 'cron', agent_additional_settings => { 'a' => 'b' }, dns_alt_names => ['p'], environment => 'e', splay => true, show_diff => true }
