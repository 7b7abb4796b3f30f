$x = lookup('x')
$y = Integer[1, 9000000].map |$i| { lookup('x') }
