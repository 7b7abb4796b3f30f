$t = inline_template("<%= '>1.0.0 || ' * 500000 + '<2.0.0' %>")
$v = SemVer('1.0.0')
$r = SemVerRange($t)
$z = Integer[1, 1000000].map |$i| { $v =~ SemVer[$r] }
fail('ended')
