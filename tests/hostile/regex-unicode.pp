$t = Integer[1, 100000].map |$i| { 'a' }.join('')
$x = $t =~ /(\p{L}{1,500}){1,500}$/
fail('ended')
