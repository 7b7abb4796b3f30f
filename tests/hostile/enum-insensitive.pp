$l = Integer[1, 40000].map |$i| { "v${i}" }
$e = Enum[*$l, true]
$z = Integer[1, 1000000].map |$i| { 'x' =~ $e }
fail('ended')
