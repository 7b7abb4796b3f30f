include archive
archive { '/tmp/a.tgz': ensure => present, source => 'http://x/a.tgz', extract => true, extract_path => '/srv', creates => '/srv/a', checksum => 'abc', checksum_type => 'sha256', cleanup => true }
archive::nexus { '/tmp/n.jar': url => 'https://n', gav => 'a.b:c:1', repository => 'r', packaging => 'jar' }
archive::download { '/tmp/d.tgz': url => 'http://d' , checksum => false }
