type A = Variant[B, Array[B]]
type B = Variant[A, Array[A]]
if [[[1]]] =~ A { notice('x') }
fail('ended')
