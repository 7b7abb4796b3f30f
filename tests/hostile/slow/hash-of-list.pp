$x = Integer[1, 200000].map |$i| { [$i, $i] }
Integer[1, 1000].each |$n| { $z = Hash($x) }
fail('ended')
