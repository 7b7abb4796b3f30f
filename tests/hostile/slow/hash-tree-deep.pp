$x = Integer[1, 5000].map |$i| { [Integer[1, $i].map |$j| { 'a' }, 1] }
$z = Hash($x, 'hash_tree')
fail('ended')
