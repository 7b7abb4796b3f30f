notice(lookup(inline_template("<%= 'x' + '.a' * 100000 %>")))
