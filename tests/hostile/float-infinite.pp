$z = 1.0e308 * 10
$y = Integer($z)
$x = $z % 1
fail('ended')
