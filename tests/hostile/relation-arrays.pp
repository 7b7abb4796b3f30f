$a = Integer[1, 3000].map |$i| { "a${i}" }
$b = Integer[1, 3000].map |$i| { "b${i}" }
notify { $a: }
notify { $b: }
Notify[*$a] -> Notify[*$b]
fail('ended')
