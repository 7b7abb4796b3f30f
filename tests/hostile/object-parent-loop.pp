type A = Object[{parent => B}]
type B = Object[{parent => A}]
$z = A()
fail('ended')
