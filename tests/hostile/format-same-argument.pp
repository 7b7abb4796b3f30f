$f = inline_template("<%= '%1$9999d' * 200000 %>")
notice(length(sprintf($f, 1)))
