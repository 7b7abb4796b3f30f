$t = Integer[1, 100000].map |$i| { 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }
$z = match($t, '^(a+)+\1b$')
fail('ended')
