$t = inline_template("<%= '1.0.0-' + 'a.' * 4000000 + 'b' %>")
$z = Integer[1, 1000000].map |$i| { SemVer($t) }
fail('ended')
