$h = Hash(Integer[1, 100000].map |$i| { ["k${i}", $i] })
Integer[1, 1000].each |$i| { $z = type($h) }
fail('ended')
