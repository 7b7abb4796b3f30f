$z = Init[Init[Init[Integer]]]
$y = Integer.new(Init)
$q = new(Init[Hash, 'hash_tree'], 1)
fail('ended')
