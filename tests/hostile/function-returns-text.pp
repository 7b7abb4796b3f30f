function f($n) { if $n == 0 { 'a' } else { $x = f($n - 1)
 "${x}${x}" } }
f(60)
fail('ended')
