$z = file('/dev/zero')
fail('ended')
