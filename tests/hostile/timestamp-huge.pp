$z = Timestamp(9223372036854775807)
$q = strftime($z, '%Y')
$y = Timestamp('9999999999-01-01T00:00:00 UTC')
fail('ended')
