$t = inline_template("<%= '1 ' * 1000000 %>")
$f = inline_template("<%= '%d ' * 1000000 %>")
$x = scanf($t, $f)
$z = Integer[1, 1000].map |$i| { length(scanf($t, $f)) }
