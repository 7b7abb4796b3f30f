$l = Integer[1, 40000].map |$i| { ">1.0.${i}" }
$v = SemVer('1.0.0')
$z = Integer[1, 1000000].map |$i| { $v =~ SemVer[*$l] }
fail('ended')
