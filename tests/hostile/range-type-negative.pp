Integer[-9223372036854775808, 9223372036854775807].each |$i| { notice($i) }
fail('ended')
