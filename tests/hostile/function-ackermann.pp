function a($m, $n) { if $m == 0 { $n + 1 } elsif $n == 0 { a($m - 1, 1) } else { a($m - 1, a($m, $n - 1)) } }
a(4, 4)
fail('ended')
