notify { ['a', 'b']: }
Integer[1, 10000000].each |$i| { Notify['a'] -> Notify['b'] }
fail('ended')
