Integer[1, 10000000].each |$i| { $z = inline_epp("<%= ${i} %>") }
fail('ended')
