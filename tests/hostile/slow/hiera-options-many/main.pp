$z = Integer[1, 1000000].map |$i| { lookup("k${i}", undef, undef, 1) }
fail('ended')
