$r = inline_template("<%= '(' * 30000 + ')' * 30000 %>")
if 'a' =~ $r { notice('x') }
