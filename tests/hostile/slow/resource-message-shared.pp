$t = Integer[1, 1000000].map |$i| { 'abcdefgh' }.join('')
Integer[1, 100000].each |$i| { notify { "n${i}": message => $t } }
fail('ended')
