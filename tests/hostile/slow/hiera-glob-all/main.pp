notice(lookup('k', undef, undef, 1))
fail('ended')
