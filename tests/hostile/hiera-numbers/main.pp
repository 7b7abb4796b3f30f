$z = lookup('x').map |$v| { Integer($v) }
fail('ended')
