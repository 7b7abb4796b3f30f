$l = Integer[1, 40000].map |$i| { Integer[$i, $i] }
$t = Variant[*$l]
$z = Integer[1, 1000000].map |$i| { 0 =~ $t }
fail('ended')
