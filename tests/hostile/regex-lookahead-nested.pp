$t = Integer[1, 100].map |$i| { 'a' }.join('')
$x = $t =~ /^(?=(a+)+$)(?=(a|a)+b)(a|aa)+$/
fail('ended')
