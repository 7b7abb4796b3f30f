notice(epp('m/t0.epp'))
