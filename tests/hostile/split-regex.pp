$t = Integer[1, 40].map |$i| { 'a' }.join('')
Integer[1, 10000000].each |$i| { $z = split($t, /(a|aa)+b/) }
fail('ended')
