$t = Integer[1, 1000000].map |$i| { 'abcd' }.join('')
Integer[1, 100000].each |$i| { $z = Binary($t, '%s') }
fail('ended')
