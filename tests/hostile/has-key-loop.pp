$h = Hash(Integer[1, 100000].map |$i| { ["k${i}", $i] })
Integer[1, 1000000].each |$n| { $z = keys($h) }
fail('ended')
