$l = Integer[1, 3000].map |$i| { "s${i}" }
$m = Integer[1, 3000].map |$i| { "t${i}" }
stage { $l: }
stage { $m: }
Stage[$l] -> Stage[$m]
fail('ended')
