Integer[1, 200000].each |$i| { notify { "n${i}": message => Deferred('inline_epp', ['<% Integer[1, 100000].each |$i| { %>aaaa<% } %>']) } }
fail('ended')
