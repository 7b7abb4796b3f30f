Integer[1, 9000000].each |$i| { lookup('x') }
