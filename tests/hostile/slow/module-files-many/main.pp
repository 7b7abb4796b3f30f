Integer[1, 1000000].each |$i| { $z = file('m/a', '/nowhere') }
fail('ended')
