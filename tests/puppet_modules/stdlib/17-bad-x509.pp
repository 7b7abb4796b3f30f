# A range without an end.
$x = range('a')
