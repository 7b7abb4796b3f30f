$z = lookup('x')
fail('ended')
