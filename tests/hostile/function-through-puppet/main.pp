notice(m::f('x'))
