$x = Integer[1, 100000].map |$i| { ' a ' }
Integer[1, 10000].each |$i| { $z = strip($x); $y = chomp($x); $q = lstrip($x) }
fail('ended')
