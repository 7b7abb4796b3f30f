$t = inline_template("<%= 'ab' * 8000000 %>")
$l = Integer[1, 300].map |$i| { "${t}${i}" }
$e = Enum[*$l]
$z = Integer[1, 1000000].map |$i| { "${t}x" =~ $e }
fail('ended')
