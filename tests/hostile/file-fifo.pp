$z = binary_file('/dev/random')
fail('ended')
