$x = m::f0(1)
fail('ended')
