$t = inline_template("<%= 'ab' * 8000000 %>")
$l = Integer[1, 300].map |$i| { Regexp("x${i}y") }
$p = Pattern[*$l]
$z = Integer[1, 1000000].map |$i| { $t =~ $p }
fail('ended')
