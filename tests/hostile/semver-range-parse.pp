$t = inline_template("<%= '>1.0.0 || ' * 500000 + '<2.0.0' %>")
$z = Integer[1, 1000000].map |$i| { SemVerRange($t) }
fail('ended')
