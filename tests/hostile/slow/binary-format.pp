$t = Integer[1, 1000000].map |$i| { 'abcd' }.join('')
$b = Binary($t, '%s')
Integer[1, 100000].each |$i| { $z = String($b, '%B') }
fail('ended')
