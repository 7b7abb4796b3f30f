$t = inline_template("<%= 'ab' * 8000000 %>")
$z = Integer[1, 1000000].map |$i| { $t == "${t}x" }
