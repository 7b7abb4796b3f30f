$f = inline_template("<%= '%9999d' * 200000 %>")
$a = Integer[1, 200000].map |$i| { 1 }
notice(length(sprintf($f, *$a)))
