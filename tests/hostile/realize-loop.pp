@notify { 'a': }
Integer[1, 10000000].each |$i| { realize(Notify['a']) }
fail('ended')
