notice(lookup('v'))
