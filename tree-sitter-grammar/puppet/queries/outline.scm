; What an outline lists: the whole item, named after its kind, and the part that names it.

(class_definition name: (_) @name) @class
(define_definition name: (_) @name) @define
(function_definition name: (_) @name) @function
(node_definition name: (_) @name) @node
(type_definition name: (_) @name) @type
(feature name: (_) @name) @attribute
(resource type: (_) @kind body: (resource_bodies (resource_body title: (_) @name) @resource))
(assignment left: (variable) @name) @bind
((statement_call function: (name) @_function (name) @name @include)
  (#any-of? @_function "include" "contain" "require"))
