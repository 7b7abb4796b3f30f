$t = inline_template("<%= 'ab' * 4000000 %>")
Integer[1, 900000].each |$i| { notice($t) }
