$z = Integer[1, 900000].map |$i| { Deferred('sprintf', [$i]) }
notify { 'a': message => $z }
fail('ended')
