$x = Integer[1, 900000].reduce('') |$m, $i| { "${m}abcdefgh" }
