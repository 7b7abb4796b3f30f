$z = Integer[1, 9223372036854775807].step(1).map |$i| { $i }
fail('ended')
