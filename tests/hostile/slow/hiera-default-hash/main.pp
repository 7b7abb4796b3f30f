$h = Hash(Integer[1, 100000].map |$i| { ["k${i}", $i] })
Integer[1, 100000].each |$i| { $z = lookup({ name => 'n', default_values_hash => $h, default_value => 1 }) }
fail('ended')
