$a = Integer[1, 3000].map |$i| { "a${i}" }
notify { $a: }
$b = Integer[1, 3000].map |$i| { "b${i}" }
notify { $b: require => Notify[$a] }
