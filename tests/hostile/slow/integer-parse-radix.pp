$t = Integer[1, 1000000].map |$i| { '1' }.join('')
$z = Integer("0b${t}", 2)
fail('ended')
