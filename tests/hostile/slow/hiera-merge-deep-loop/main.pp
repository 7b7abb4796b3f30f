Integer[1, 100000].each |$i| { $z = lookup('x', Hash, 'deep') }
fail('ended')
