Integer[1, 10000000].each |$i| { $z = defined(Notify["a${i}"]) }
fail('ended')
