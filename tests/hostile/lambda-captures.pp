$f = Integer[1, 100000].reduce([]) |$m, $i| { [$m] }
fail('ended')
