$z = sprintf('%999999999$d', 1)
fail('ended')
