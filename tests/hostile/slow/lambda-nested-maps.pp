$z = Integer[1, 1000].map |$a| { Integer[1, 1000].map |$b| { Integer[1, 1000].map |$c| { [$a, $b, $c] } } }
fail('ended')
