Integer[1, 300000].each |$i| { @@notify { "n${i}": message => 'a' } }
Notify <<| |>>
fail('ended')
