notice(epp('m/a0.epp'))
fail('ended')
