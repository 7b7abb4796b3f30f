notice(lookup('x'))
fail('ended')
