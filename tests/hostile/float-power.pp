$z = 1.0e308 * 1.0e308
$q = String(1.0e308, '%.9999f')
Integer[1, 1000000].each |$i| { $r = String(1.0e308, '%.9999f') }
fail('ended')
