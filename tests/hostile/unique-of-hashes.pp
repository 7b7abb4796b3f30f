$x = Integer[1, 50000].map |$i| { { 'a' => [$i] } }
$z = unique($x)
$u = $x.unique |$v| { [$v] }
fail('ended')
