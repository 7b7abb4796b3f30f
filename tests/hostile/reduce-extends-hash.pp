$x = Integer[1, 200000].reduce({}) |$m, $i| { $m + { $i => 1 } }
