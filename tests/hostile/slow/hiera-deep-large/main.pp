$z = Integer[1, 100000].map |$i| { lookup('k', undef, 'deep') }
fail('ended')
