$x = Integer[1, 90000].map |$i| { [[$i, 99999], 1] }
$y = Hash.new([[[0], []]] + $x, 'hash_tree')
$z = Hash.new(Integer[1, 1000].map |$i| { [[$i], []] } + Integer[1, 1000].map |$i| { [[$i, 99999], 1] }, 'tree')
