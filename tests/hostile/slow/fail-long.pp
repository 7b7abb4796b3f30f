$t = Integer[1, 1000000].map |$i| { 'abcdefgh' }.join('')
fail($t)
fail('ended')
