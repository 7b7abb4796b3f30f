$l = Integer[1, 40000].map |$i| { Enum["e${i}"] }
$z = Integer[1, 1000000].map |$i| { Enum['x'] in $l }
fail('ended')
