$a = Integer[1, 3000].map |$i| { "a${i}" }
notify { $a: tag => $a }
Integer[1, 3000].each |$i| { Notify<| tag == "a${i}" and title != 'x' |> }
Integer[1, 30000].each |$i| { Notify<| title == "a${i}" |> }
