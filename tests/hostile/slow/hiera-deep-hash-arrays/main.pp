$z = Integer[1, 100000].map |$i| {
  lookup({'name' => 'k', 'merge' => {'strategy' => 'deep', 'merge_hash_arrays' => true}})
}
fail('ended')
