vcsrepo { '/srv/x': ensure => present, provider => git, source => 'https://git.example.com/x.git', revision => 'v1', depth => 1 }
