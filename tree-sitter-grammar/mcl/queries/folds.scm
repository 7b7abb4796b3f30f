; What folds to its first line.

[
  (block)
  (resource_body)
  (function_definition)
  (lambda)
  (if_expression)
  (list)
  (map)
  (struct)
  (parameters)
  (arguments)
  (string)
] @fold
