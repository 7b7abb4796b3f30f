include m::c0
fail('ended')
