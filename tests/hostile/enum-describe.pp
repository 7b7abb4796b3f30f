type E = Enum[a,b]
$l = Integer[1, 40000].map |$i| { "v${i}" }
function f(Enum[a] $x) { }
$z = Integer[1, 100000].map |$i| { assert_type(Enum[*$l], 'x') |$a, $b| { "${a}" } }
fail('ended')
