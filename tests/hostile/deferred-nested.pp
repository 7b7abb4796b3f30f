$z = Integer[1, 100000].reduce(1) |$m, $i| { Deferred('abs', [$m]) }
notify { 'x': message => $z }
fail('ended')
