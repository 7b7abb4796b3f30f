$x = Integer[1, 100000].map |$i| { $i }
Integer[1, 10000].each |$i| { $z = assert_type(Array[Integer], $x) }
fail('ended')
