$t = Integer[1, 1000000].map |$i| { 'äb' }.join('')
Integer[1, 1000000].each |$i| { $z = length($t) }
fail('ended')
