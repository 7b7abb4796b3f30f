; What an outline lists: the whole item, named after its kind, and the part that names it.

(class_definition name: (_) @name) @class
(function_definition name: (_) @name) @function
(resource kind: (_) @kind name: (_) @name) @resource
(bind name: (_) @name) @bind
(import_statement name: (_) @name) @import
(include_statement class: (_) @name) @include
