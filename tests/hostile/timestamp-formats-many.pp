$f = Integer[1, 100000].map |$i| { '%Y' }
$z = Timestamp('x', $f)
Integer[1, 1000].each |$i| { $z = Timestamp('x', $f) }
fail('ended')
