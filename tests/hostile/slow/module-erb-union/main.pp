notice(template('m/a.erb'))
fail('ended')
