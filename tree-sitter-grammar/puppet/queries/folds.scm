; What folds to its first line.

[
  (block)
  (type_body)
  (settings)
  (resource)
  (resource_body)
  (attributes)
  (parameters)
  (arguments)
  (array)
  (hash)
  (selector)
  (case_expression)
  (string)
  (single_quoted)
  (heredoc_body)
] @fold
