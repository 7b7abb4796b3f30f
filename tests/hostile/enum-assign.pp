$l = Integer[1, 40000].map |$i| { "v${i}" }
$m = Integer[1, 40000].map |$i| { "w${i}" }
$e = Enum[*$l]
$f = Enum[*$m]
$z = Integer[1, 1000000].map |$i| { $e < $f }
fail('ended')
