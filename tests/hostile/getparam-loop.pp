notify { 'a': message => 'x' }
Integer[1, 10000000].each |$i| { $z = Notify['a']['message'] }
fail('ended')
