$x = Integer[1, 1000].map |$i| { Integer[1, 1000].map |$j| { Integer[1, 1000].map |$k| { $k } } }
