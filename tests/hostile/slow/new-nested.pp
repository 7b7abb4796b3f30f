$z = Integer[1, 100000].reduce('1') |$m, $i| { String(Array($m)) }
fail('ended')
