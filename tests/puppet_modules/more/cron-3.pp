class { 'cron': file_mode => '0600', manage_users_allow => true }
cron::job { 's': special => 'reboot', command => 'x' }
