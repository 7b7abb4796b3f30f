$t = inline_template("<%= 'ab' * 8000000 %>")
$u = "${t}x"
$z = Integer[1, 1000000].map |$i| { $t < $u }
fail('ended')
