$k = Integer[1, 100000].map |$i| { "'a" }.join('.')
$z = lookup($k, undef, undef, 1)
fail('ended')
