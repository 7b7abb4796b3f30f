$l = Integer[1, 200000].map |$i| { "n${i}" }
Integer[1, 1000].each |$i| { $z = lookup('k', undef, undef, 1) }
fail('ended')
