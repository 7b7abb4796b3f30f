$z = Timespan(1000)
Integer[1, 1000000].each |$i| { $q = strftime($z, '%999999999D') }
fail('ended')
