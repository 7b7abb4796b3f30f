a { 'x': b => 1 }
fail('ended')
