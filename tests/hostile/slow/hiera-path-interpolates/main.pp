$t = Integer[1, 1000000].map |$i| { 'abcdefgh' }.join('')
Integer[1, 100000].each |$i| { $z = lookup("k${i}", undef, undef, 1) }
fail('ended')
