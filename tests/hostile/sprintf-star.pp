$z = sprintf('%*d', 999999999, 1)
fail('ended')
