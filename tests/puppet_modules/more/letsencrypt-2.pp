class { 'letsencrypt': email => 'a@b.c' }
letsencrypt::certonly { 'z': plugin => 'dns-rfc2136' }
