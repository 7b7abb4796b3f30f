$z = file('m/../../../../../../../etc/shadow')
fail('ended')
