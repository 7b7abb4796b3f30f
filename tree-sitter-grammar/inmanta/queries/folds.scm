; What folds to its first line.

[
  (entity_definition)
  (implementation_definition)
  (for_statement)
  (if_statement)
  (call)
  (constructor)
  (index_lookup)
  (list)
  (comprehension)
  (map)
  (long_string)
] @fold
