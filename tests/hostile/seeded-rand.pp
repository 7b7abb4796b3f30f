Integer[1, 10000000].each |$i| { $z = seeded_rand(100, "${i}") }
fail('ended')
