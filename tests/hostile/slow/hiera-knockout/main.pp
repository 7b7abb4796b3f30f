Integer[1, 100000].each |$i| { $z = lookup('x', { merge => { strategy => deep, knockout_prefix => '--', sort_merged_arrays => true } }) }
fail('ended')
