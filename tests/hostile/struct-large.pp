$l = Integer[1, 100000].map |$i| { ["v${i}", Integer] }
$t = Struct[Hash($l)]
$h = Hash(Integer[1, 100000].map |$i| { ["v${i}", 1] })
$z = Integer[1, 10000].map |$i| { $h =~ $t }
