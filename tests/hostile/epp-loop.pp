$t = inline_epp('<% Integer[1, 9999999].each |$i| { %>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<% } %>')
