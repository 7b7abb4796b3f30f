; What folds to its first line.

[
  (block)
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
