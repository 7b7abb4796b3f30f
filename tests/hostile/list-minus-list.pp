$x = Integer[1, 300000].map |$i| { $i }
$y = Integer[300001, 600000].map |$i| { $i }
$z = $x - $y
$u = Integer[1, 300].map |$n| { $x - $y }
