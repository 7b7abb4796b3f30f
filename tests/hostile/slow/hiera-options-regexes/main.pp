Integer[1, 100000].each |$i| { $z = lookup("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa${i}", undef, undef, 1) }
fail('ended')
