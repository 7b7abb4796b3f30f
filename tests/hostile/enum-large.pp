$l = Integer[1, 300000].map |$i| { "v${i}" }
$t = Enum[*$l]
$z = Integer[1, 300000].map |$i| { "v${i}" =~ $t }
