type A = Object[{attributes => {b => A}}]
$z = A({b => A})
$x = A(A(1))
fail('ended')
