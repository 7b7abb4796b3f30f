$l = Integer[1, 200000].map |$i| { "n${i}" }
Integer[1, 100].each |$i| { $z = lookup($l, undef, undef, 1) }
fail('ended')
