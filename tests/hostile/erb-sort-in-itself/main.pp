notice(template('t/x.erb'))
