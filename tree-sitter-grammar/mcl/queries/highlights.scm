; Where several patterns match one node, the last one here wins; the innermost node wins over those around it.

(comment) @comment

; Literals.
(string) @string
(escape) @constant.character.escape
(invalid_escape) @diagnostic.error
(interpolation) @variable.other
(invalid_interpolation) @diagnostic.error
(integer) @constant.numeric.integer
(float) @constant.numeric.float
(boolean) @constant.builtin.boolean

; Keywords.
["if" "else"] @keyword.control.conditional
["for" "forkv"] @keyword.control.repeat
["include" "import" "as"] @keyword.control.import
["and" "or" "not" "in"] @keyword.operator
"func" @keyword.function
["class" "collect" "struct"] @keyword
"panic" @keyword.control.exception

; Operators and punctuation.
["=" "=>" "->" "<|>" "?:" "<" ">" "<=" ">=" "==" "!=" "+" "-" "*" "/"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";" "."] @punctuation.delimiter
(star) @punctuation.special

; Types.
(primitive_type) @type.builtin
(map_type "map" @type.builtin)
(struct_type "struct" @type.builtin)
(func_type "func" @type.builtin)
(struct_type_field name: (identifier) @variable.other.member)

; Names.
(binding) @variable
(variable) @variable
((variable) @variable.builtin
  (#any-of? @variable.builtin "$hostname" "$purpleidea"))
((variable) @constant
  (#match? @constant "^\\$const\\."))
(parameter name: (binding) @variable.parameter)
(func_type_parameter name: (binding) @variable.parameter)
(struct_field name: (identifier) @variable.other.member)
(field_access field: (identifier) @variable.other.member)
(field_or field: (identifier) @variable.other.member)

(function_definition name: (identifier) @function)
(call function: (dotted_name) @function)
((call function: (dotted_name) @function.builtin)
  (#any-of? @function.builtin
    "len" "concat" "contains" "history" "random1" "list_lookup" "map_lookup" "panic_debug"))
(variable_call function: (variable) @function)
(class_name) @constructor
(include_statement class: (dotted_name) @constructor)
(include_statement alias: (identifier) @namespace)
(import_statement alias: (identifier) @namespace)
(import_statement name: (string) @string.special.path)

; Resources.
(kind) @type
(edge_kind) @type
(attribute name: (identifier) @attribute)
(relation) @keyword.directive
(meta_attribute "Meta" @keyword.directive)
(meta_attribute name: (identifier) @attribute)
(edge_half field: (identifier) @attribute)
