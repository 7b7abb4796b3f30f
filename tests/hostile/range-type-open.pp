$z = Integer[1].map |$i| { $i }
Integer.each |$i| { notice($i) }
fail('ended')
