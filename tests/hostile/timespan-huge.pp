$z = Timespan(9223372036854775807)
$y = $z + $z
$q = $z * 9223372036
fail('ended')
