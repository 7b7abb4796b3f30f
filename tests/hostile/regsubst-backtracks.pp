$t = Integer[1, 40].map |$i| { 'a' }.join('')
$z = regsubst($t, '^(a+)+\1b$', 'x', 'G')
$y = regsubst([$t, $t], '(?=(a+)+b)', 'x', 'G')
fail('ended')
