$h = Hash(Integer[1, 300000].map |$i| { ["n${i}", $i] })
$y = Integer[1, 900000].map |$i| { $h.keys[0] }
