$t = inline_template("<%= '.0' * 8000000 %>")
$z = Integer[1, 1000000].map |$i| { versioncmp($t, $t, true) }
fail('ended')
