class { 'systemd': manage_resolved => true, dns => ['1.1.1.1', '9.9.9.9'], manage_timesyncd => true, ntp_server => ['a', 'b'], manage_journald => true, journald_settings => { 'Storage' => 'auto', 'MaxRetentionSec' => { 'ensure' => 'absent' } }, manage_logind => true, logind_settings => { 'HandleSuspendKey' => 'ignore' } }
systemd::unit_file { 'a.service': content => "[Unit]\nDescription=a\n", enable => true, active => true }
systemd::timer { 'b.timer': timer_content => "[Timer]\nOnCalendar=daily\n", service_content => "[Service]\nExecStart=/bin/b\n", active => true, enable => true }
systemd::dropin_file { 'c.conf': unit => 'nginx.service', content => "[Service]\nLimitNOFILE=1\n", notify_service => true }
systemd::manage_unit { 'd.service': unit_entry => { 'Description' => 'D', 'After' => ['network.target', 'x.service'] }, service_entry => { 'Type' => 'simple', 'ExecStart' => '/bin/d', 'Environment' => ['A=b', 'C=d'] }, install_entry => { 'WantedBy' => 'multi-user.target' }, enable => true, active => true }
systemd::manage_dropin { 'e.conf': unit => 'x.service', service_entry => { 'ExecStart' => ['', '/bin/e'] } }
systemd::network { 'eth0.network': content => 'x', restart_service => true }
systemd::tmpfile { 'f.conf': content => 'd /run/f' }
systemd::modules_load { 'm.conf': content => 'x' }
systemd::sysusers { 'u.conf': content => 'u x' }
systemd::timer_wrapper { 'w': ensure => 'present', command => '/bin/w', user => 'w', on_calendar => '*:0/10' }
systemd::udev::rule { 'r.rules': rules => ['A', 'B'] }
