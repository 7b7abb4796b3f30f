$t = inline_template("<%= 'a' * 40 %>")
if $t =~ /^(a+)+$b/ { notice('x') }
if "${t}!" =~ /^(a|a?)+$/ { notice('x') }
if "${t}!" =~ /^(?=(a+)+b)(a+)+\1$/ { notice('x') }
fail('ended')
