; Where several patterns match one node, the last one here wins; the innermost node wins over those around it.

(comment) @comment

; Literals.
[(string) (single_quoted) (heredoc_body)] @string
(word) @string
(heredoc) @string.special
(heredoc_end) @string.special
(escape) @constant.character.escape
(regexp) @string.regexp
(number) @constant.numeric
(boolean) @constant.builtin.boolean
[(undef) (default)] @constant.builtin
(host) @string
(reserved) @diagnostic.error

; Keywords.
["if" "elsif" "else" "unless" "case"] @keyword.control.conditional
(selector "?" @keyword.control.conditional)
["and" "or" "in"] @keyword.operator
"function" @keyword.function
["class" "define" "node" "type" "inherits"] @keyword
["attr" "has" "enum" "invariant" "implemented_by"] @keyword
(abstract) @keyword
(reserved "attr" @diagnostic.error)

; Operators and punctuation.
["=" "+=" "-=" "=>" "+>" "->" "~>" "<-" "<~" "==" "!=" "<" "<=" ">" ">=" "=~" "!~" "<<" ">>" "+" "-" "*" "/" "%" "!"]
  @operator
(splat) @operator
["@" "@@"] @keyword.directive
["<|" "|>" "<<|" "|>>" "|" "(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";" "."] @punctuation.delimiter

; Types.
(type) @type
((type) @type.builtin
  (#any-of? @type.builtin
    "Any" "Array" "Binary" "Boolean" "Callable" "CatalogEntry" "Class" "Collection" "Data" "Default" "Deferred" "Enum"
    "Error" "Float" "Hash" "Init" "Integer" "Iterable" "Iterator" "NotUndef" "Numeric" "Object" "Optional" "Pattern"
    "Regexp" "Resource" "RichData" "Runtime" "Scalar" "ScalarData" "SemVer" "SemVerRange" "Sensitive" "String" "Struct"
    "Timespan" "Timestamp" "Tuple" "Type" "TypeAlias" "TypeReference" "TypeSet" "URI" "Undef" "Unit" "Variant"))
(resource type: (name) @type)

; Names.
(variable) @variable
((variable) @variable.builtin
  (#any-of? @variable.builtin
    "$facts" "$trusted" "$server_facts" "$environment" "$name" "$title" "$module_name" "$caller_module_name" "$::facts"))
(parameter name: (variable) @variable.parameter)
(call function: (name) @function)
(method_call function: (name) @function.method)
(statement_call function: (name) @function.builtin)
((statement_call function: (name) @keyword.control.import)
  (#any-of? @keyword.control.import "include" "contain" "require" "import"))
((statement_call function: (name) @keyword.control.import . (name) @constructor . ("," . (name) @constructor)*)
  (#any-of? @keyword.control.import "include" "contain" "require"))
((statement_call function: (name) @keyword.control.return)
  (#any-of? @keyword.control.return "return" "next" "break" "fail"))
(class_definition name: (_) @constructor)
(class_definition parent: (name) @constructor)
(define_definition name: (_) @type)
(function_definition name: (_) @function)
(type_definition name: (type) @type)
(attribute name: (name) @attribute)
(feature name: (_) @attribute)
(feature type: (_) @type)
(setting name: (_) @attribute)
(implementation kind: (_) @type)
(pair key: (name) @attribute)

; Names between the braces of a text are variables, unless they are called.
(interpolation ["${" "}"] @punctuation.special)
(interpolation (variable) @variable.other)
(interpolation (name) @variable.other)
(interpolation (access value: (name) @variable.other))
(interpolation (method_call value: (name) @variable.other))
