$t = inline_template("<%= '<% if true { %>' * 20000 %>")
$x = inline_epp($t)
