# Text that is not JSON.
$x = parsejson('{bad')
