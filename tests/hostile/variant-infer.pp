$l = Integer[1, 20000].map |$i| { Enum["e${i}"] }
$z = Integer[1, 1000000].map |$i| { Variant[*$l] == Variant[*$l] }
fail('ended')
