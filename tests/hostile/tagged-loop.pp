Integer[1, 10000000].each |$i| { $z = tagged('a', 'b', 'c') }
fail('ended')
