$x = Integer[1, 200000].map |$i| { $i }
Integer[1, 1000].each |$n| { $z = $x.group_by |$i| { $i % 7 } }
fail('ended')
