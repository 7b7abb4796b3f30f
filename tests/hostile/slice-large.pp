$x = Integer[1, 900000].map |$i| { $i }
$y = Integer[1, 10000].map |$i| { $x.slice(2) }
