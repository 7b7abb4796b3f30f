$t = Integer[1, 1000000].map |$i| { '9' }.join('')
$z = Float("0.${t}")
$q = Float("1e${t}")
fail('ended')
