$l = Integer[1, 900000].map |$i| { "n${i}" }
notify { $l: }
