$t = Integer[1, 30000000].map |$i| { 'a' }
fail('ended')
