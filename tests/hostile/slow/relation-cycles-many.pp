Integer[0, 300].each |$i| { notify { "n${i}": } }
Integer[0, 300].each |$i| { Integer[0, 300].each |$j| { Notify["n${i}"] -> Notify["n${j}"] } }
fail('ended')
