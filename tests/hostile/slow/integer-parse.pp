$t = Integer[1, 1000000].map |$i| { '9' }.join('')
$z = Integer($t)
fail('ended')
