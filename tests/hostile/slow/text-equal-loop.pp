$t = Integer[1, 1000000].map |$i| { 'abcdefgh' }.join('')
$u = "${t}a"
$v = "${t}A"
Integer[1, 1000000].each |$i| { $z = $u == $v }
fail('ended')
