Integer[1, 10000000].each |$i| { next() }
fail('ended')
