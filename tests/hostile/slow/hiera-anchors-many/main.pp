Integer[1, 1000000].each |$i| { $z = lookup('x') }
fail('ended')
