$z = Integer[1, 100000].reduce(1) |$m, $i| { Sensitive([$m]) }
$q = Integer[1, 100000].reduce(1) |$m, $i| { Sensitive($m) }
notice($z.unwrap)
fail('ended')
