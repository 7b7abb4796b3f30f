$l = Integer[1, 40000].map |$i| { Integer[$i, $i] }
$m = Integer[1, 40000].map |$i| { Integer[$i + 50000, $i + 50000] }
$t = Variant[*$l]
$u = Variant[*$m]
$z = Integer[1, 1000000].map |$i| { $t < $u }
fail('ended')
