$h = Integer[1, 300000].map |$i| { { "k${i}" => $i } }
assert_type(Array[Integer], $h)
