; Where several patterns match one node, the last one here wins; the innermost node wins over those around it.

(comment) @comment

; Literals.
[(string) (long_string) (raw_string) (format_string)] @string
(escape) @constant.character.escape
(doubled_brace) @constant.character.escape
(interpolation) @variable.other
(field) @variable.other
(pattern) @string.regexp
(integer) @constant.numeric.integer
(float) @constant.numeric.float
(boolean) @constant.builtin.boolean
[(null) (undef)] @constant.builtin

; What documents a file, an entity, a relation and so on.
(source_file . (comment)* . (long_string) @comment.block.documentation)
(entity_body doc: (_) @comment.block.documentation)
(relation doc: (_) @comment.block.documentation)
(type_definition doc: (_) @comment.block.documentation)
(implement doc: (_) @comment.block.documentation)
(implementation_definition body: (block . (long_string) @comment.block.documentation))

; Keywords.
["if" "elif" "else"] @keyword.control.conditional
(conditional ["?" ":"] @keyword.control.conditional)
"for" @keyword.control.repeat
(implementation_definition "for" @keyword)
["import" "as"] @keyword.control.import
["and" "or" "not" "in" "is" "defined"] @keyword.operator
["entity" "extends" "end" "implementation" "index" "implement" "using" "when" "typedef" "matching"] @keyword
(type_definition "as" @keyword)
(parents) @keyword

; Operators and punctuation.
["=" "+=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "**"] @operator
(arrow) @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "::" "."] @punctuation.delimiter
(type "?" @punctuation.special)

; Types.
(type) @type
((type) @type.builtin
  (#match? @type.builtin "^(string|int|float|bool|number|list|dict)(\\[\\])?\\??$"))
(type_definition name: (_) @type)
(type_definition base: (path) @type)
((type_definition base: (path) @type.builtin)
  (#any-of? @type.builtin "string" "int" "float" "bool" "number" "list"))
(class) @type
(entity_definition name: (_) @type)
(bounds) @constant.numeric.integer

; Names.
(variable) @variable
((variable) @variable.builtin
  (#eq? @variable.builtin "self"))
(assignment name: (variable) @variable)
(for_statement variable: (_) @variable.parameter)
(comprehension variable: (_) @variable.parameter)
(attribute_access attribute: (_) @variable.other.member)
(attribute name: (_) @attribute)
(relation attribute: (_) @attribute)
(relation inverse: (_) @attribute)
(index attribute: (_) @attribute)
(keyword_argument name: (_) @attribute)
(pair key: (_) @string.special)
(call function: (path) @function)
((call function: (path) @function.builtin)
  (#any-of? @function.builtin "string" "int" "float" "bool" "number"))
(implementation_definition name: (_) @function)
(implement implementation: (path) @function)
(import name: (path) @namespace)
(import alias: (_) @namespace)
