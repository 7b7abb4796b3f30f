$f = Integer[1, 100000].map |$i| { '%c %Y %B %A' }.join(' ')
$t = Timestamp(0)
Integer[1, 100000].each |$i| { $z = strftime($t, $f) }
fail('ended')
