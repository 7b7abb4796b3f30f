$t = inline_template("<%= 'ab' * 4000000 %>")
$z = Integer[1, 10000].map |$i| { Binary.new($t, '%s') }
