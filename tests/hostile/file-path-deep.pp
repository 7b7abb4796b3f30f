$p = Integer[1, 100000].map |$i| { 'a' }.join('/')
file { "/${p}": content => 'x' }
fail('ended')
