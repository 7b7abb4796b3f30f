Integer[1, 100000].each |$i| { $z = lookup("k${i}", undef, undef, 1) }
fail('ended')
