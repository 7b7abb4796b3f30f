$t = inline_template("<%= 'ab' * 4000000 %>")
$z = Integer[1, 100000].map |$i| { length(split($t, 'a')) }
