notice(lookup('x'))
$t = Timestamp(String(lookup('x')))
fail('ended')
