notice(epp('m/a.epp'))
fail('ended')
