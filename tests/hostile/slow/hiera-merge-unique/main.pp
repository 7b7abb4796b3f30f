Integer[1, 100000].each |$i| { $z = lookup('x', Array, 'unique') }
fail('ended')
