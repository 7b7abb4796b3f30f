define d($n) { create_resources('d', { "${title}a" => { n => $n }, "${title}b" => { n => $n } }) }
d { 'x': n => 1 }
fail('ended')
