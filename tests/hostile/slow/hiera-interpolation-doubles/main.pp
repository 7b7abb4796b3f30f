notice(lookup('a38'))
fail('ended')
