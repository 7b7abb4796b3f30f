$a = Integer[1, 30000].map |$i| { "a${i}" }
define d { notify { $title: } }
d { $a: tag => $a }
