$f = inline_template("<%= '%999Y' * 300000 %>")
notice(length(strftime(Timestamp.new('2020-01-01'), $f)))
