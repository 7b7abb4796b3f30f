class a($x = lookup('b::y')) { }
class b($y = lookup('a::x')) { include a }
include b
