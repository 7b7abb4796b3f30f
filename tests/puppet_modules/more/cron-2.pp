include cron
cron::job { 'bad': minute => '61x', command => 'c' }
