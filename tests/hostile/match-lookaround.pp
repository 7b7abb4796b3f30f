$t = inline_template("<%= 'a' * 5000 %>")
if "${t}!" =~ /^(?:(a+)(?=a)\1?)*$/ { notice('x') }
fail('ended')
