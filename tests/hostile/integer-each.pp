9223372036854775807.each |$i| { $z = $i }
fail('ended')
