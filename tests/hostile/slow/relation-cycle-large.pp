Integer[0, 50000].each |$i| { notify { "n${i}": } }
Integer[0, 50000].each |$i| { $j = ($i + 1) % 50001
 Notify["n${i}"] -> Notify["n${j}"] }
fail('ended')
