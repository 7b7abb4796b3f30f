define d($n) { @d { "x${title}": n => $n } }
@d { 'a': n => 1 }
D <| |>
fail('ended')
