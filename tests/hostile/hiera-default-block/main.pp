Integer[1, 10000000].each |$i| { $z = lookup('n') |$k| { lookup('m') |$j| { 1 } } }
fail('ended')
