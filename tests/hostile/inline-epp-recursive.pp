$t = '<% $x = inline_epp($t, { t => $t }) %><%= $x %>'
notice(inline_epp($t, { t => $t }))
fail('ended')
