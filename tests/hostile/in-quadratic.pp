$x = Integer[1, 200000].map |$i| { $i }
$y = $x.filter |$i| { 0 in $x }
