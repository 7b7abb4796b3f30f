$x = Integer[1, 300000].map |$i| { 0 - $i }
$z = Integer[1, 100000].map |$i| { sort($x)[0] }
