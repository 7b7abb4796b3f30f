# A function without its argument.
$x = basename()
