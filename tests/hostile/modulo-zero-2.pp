$z = -9223372036854775807 - 1
$y = $z % -1
$q = - $z
$r = abs($z)
fail('ended')
