stage { 'a': before => Stage['b'] }
stage { 'b': before => Stage['a'] }
class x { notify { 'x': } }
class { 'x': stage => 'a' }
fail('ended')
