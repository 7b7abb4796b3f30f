$x = Hash(Integer[1, 100000].map |$i| { [$i, $i] })
Integer[1, 1000].each |$n| { $z = [*$x] }
fail('ended')
