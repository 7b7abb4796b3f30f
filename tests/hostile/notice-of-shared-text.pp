$t = sprintf('%9999s', 'x')
$l = Integer[1, 500000].map |$i| { $t }
notice($l)
