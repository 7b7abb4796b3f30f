class a($x = $b::x) { }
class b($x = $a::x) { include a }
include b
fail('ended')
