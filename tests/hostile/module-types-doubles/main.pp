$x = [1] =~ M::T0
notice(M::T0)
fail('ended')
