$f = Integer[1, 100000].map |$i| { '%9999d' }.join('')
$a = Integer[1, 100000].map |$i| { 1 }
$z = sprintf($f, *$a)
fail('ended')
