class { 'rsyslog': preserve_fqdn => true }
class { 'rsyslog::client': server => 's', port => '514', remote_type => 'tcp', log_remote => true, remote_servers => [], log_local => true, ssl_ca => undef }
rsyslog::snippet { 'n': content => 'x' }
rsyslog::imfile { 'i': file_name => '/f', file_tag => 't', file_facility => 'f' }
