$x = Integer[1, 100000].map |$i| { $i }
$z = sort($x) |$a, $b| { 1 }
$q = sort($x) |$a, $b| { if $a > 500 { -1 } else { 1 } }
$r = sort($x) |$a, $b| { fail('x') }
fail('ended')
