Integer[1, 10000000].each |$i| { warning("a ${i}") }
fail('ended')
