$a = Integer[1, 3000].map |$i| { "a${i}" }
notify { $a: tag => $a }
