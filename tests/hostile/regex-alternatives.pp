$r = inline_template("<%= (1..200000).map { |x| x.to_s }.join('|') %>")
$z = Integer[1, 1000].map |$i| { regsubst('a', "${r}${i}", '') }
