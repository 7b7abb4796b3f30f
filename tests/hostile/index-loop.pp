$x = Integer[1, 200000].map |$i| { $i }
Integer[1, 100000].each |$n| { $z = $x.index(0) }
fail('ended')
