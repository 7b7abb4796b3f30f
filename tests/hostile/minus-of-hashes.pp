$x = Integer[1, 50000].map |$i| { { 'a' => [$i] } }
$z = $x - $x
$q = $x - [{ 'a' => [50000] }]
fail('ended')
