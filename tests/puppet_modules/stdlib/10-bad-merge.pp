# A merge with a list.
$x = deep_merge({ 'a' => 1 }, ['b'])
