$l = Integer[1, 3000].map |$i| { Regexp("^x${i}y*$") }
$t = Pattern[*$l]
$z = Integer[1, 1000000].map |$i| { 'abc' =~ $t }
fail('ended')
