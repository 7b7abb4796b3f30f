Integer[1, 20000].each |$i| { file { "/a${i}": ensure => directory } file { "/a${i}/b": content => 'x' } }
exec { '/bin/true': command => Integer[1, 100000].map |$i| { "/a1" }.join(' ') }
fail('ended')
