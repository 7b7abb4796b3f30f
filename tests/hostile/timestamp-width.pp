$z = strftime(Timestamp(0), '%9999999999999Y')
fail('ended')
