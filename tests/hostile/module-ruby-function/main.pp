$x = m::f(1)
fail('ended')
