$x = [[[[[[1]]]]]] =~ M::T0
fail('ended')
