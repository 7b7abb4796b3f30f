$t = inline_template("<%= '1.2-' * 4000000 %>")
$u = "${t}3"
$z = Integer[1, 1000000].map |$i| { versioncmp($t, $u) }
fail('ended')
