$x = sprintf('%9999s', 'x')
$t = inline_epp('<% Integer[1, 900000].each |$i| { %><%= $x %><% } %>', { 'x' => $x })
