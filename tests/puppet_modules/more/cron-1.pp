class { 'cron': manage_package => false, users_allow => ['alice'], users_deny => ['bob'] }
cron::job { 'j': minute => '*/5', hour => '1-3', date => '*', month => '*', weekday => '1', user => 'root', command => '/bin/j', environment => ['A=b', 'PATH="/x"'], description => 'J' }
cron::job::multiple { 'm': jobs => [{ 'minute' => 1, 'command' => '/a' }, { 'hour' => 2, 'command' => '/b', 'user' => 'uu' }], environment => ['X=y'] }
cron::hourly { 'h': minute => 3, command => 'c' }
cron::daily { 'd': minute => 1, hour => 2, command => 'c' }
cron::weekly { 'w': minute => 1, hour => 2, weekday => 0, command => 'c' }
cron::monthly { 'mo': minute => 1, hour => 2, date => 28, command => 'c' }
