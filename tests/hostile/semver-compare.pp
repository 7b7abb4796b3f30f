$t = inline_template("<%= '1.0.0-' + 'a.' * 4000000 + 'b' %>")
$v = SemVer($t)
$w = SemVer("${t}c")
$z = Integer[1, 1000000].map |$i| { $v < $w }
fail('ended')
