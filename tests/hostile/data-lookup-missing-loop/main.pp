Integer[1, 9000000].each |$i| { lookup("y${i}", undef, undef, 1) }
