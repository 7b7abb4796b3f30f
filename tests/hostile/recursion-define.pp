define d($n) { d { "${title}x": n => $n + 1 } }
d { 'a': n => 1 }
