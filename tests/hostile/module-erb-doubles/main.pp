notice(template('m/a0.erb'))
fail('ended')
