$t = Integer[1, 5000].map |$i| { 'a' }.join('')
$x = "${t}b" =~ /^(a+)(a+)(a+)\1\2\3c$/
fail('ended')
