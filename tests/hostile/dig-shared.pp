$x = Integer[1, 100000].map |$i| { 0 }
$a0 = [1]
$z = [1].dig(*$x)
fail('ended')
