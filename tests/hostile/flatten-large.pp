$x = Integer[1, 300000].map |$i| { [$i] }
$z = Integer[1, 100000].map |$i| { length(flatten($x)) }
