type A = Annotation[{a => Integer}]
type B = Object[{parent => Annotation}]
$z = B(1)
fail('ended')
