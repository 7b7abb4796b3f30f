$z = Integer[1, 100].reduce("a'b c\"\$") |$m, $i| { shellquote($m) }
fail('ended')
