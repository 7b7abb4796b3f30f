; What an outline lists: the whole item, named after its kind, and the part that names it.

(import name: (_) @name) @import
(entity_definition name: (_) @name) @entity
(attribute name: (_) @name) @attribute
(relation class: (_) @kind attribute: (_) @name) @relation
(index class: (_) @name) @index
(type_definition name: (_) @name) @type
(implementation_definition name: (_) @name) @implementation
(assignment name: (variable) @name) @bind
(source_file (constructor class: (_) @name) @resource)
(block (constructor class: (_) @name) @resource)
(assignment value: (constructor class: (_) @name) @resource)

; What tells the instances of one entity apart, where it stands there.
((source_file
    (constructor class: (_) @kind (keyword_argument name: (_) @_key value: (_) @name)) @resource)
  (#any-of? @_key "name" "path"))
((block
    (constructor class: (_) @kind (keyword_argument name: (_) @_key value: (_) @name)) @resource)
  (#any-of? @_key "name" "path"))
((assignment
    value: (constructor class: (_) @kind (keyword_argument name: (_) @_key value: (_) @name)) @resource)
  (#any-of? @_key "name" "path"))
