Integer[1, 900000].each |$i| { notify { "n${i}": } }
