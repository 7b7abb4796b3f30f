notice(lookup('root', undef, undef, 1))
fail('ended')
