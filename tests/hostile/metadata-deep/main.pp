include m
fail('ended')
