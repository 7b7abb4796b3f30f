//! The correct form of unfinished syntax: help for a syntax error without a known habit.

use super::Parser;
use crate::lang::mcl::lexer::TokenKind as T;

impl Parser<'_> {
    /// How to write the expected form in place of the current token.
    #[cold]
    pub(super) fn form(&self, expected: &str) -> String {
        let word = self.slice(self.token());
        let open = match self.kind() {
            T::CloseParen | T::CloseBrack => self.brackets,
            T::CloseCurly => self.braces,
            _ => 1,
        };
        if open <= 0 {
            return format!("`{word}` closes nothing: remove it, or add the opening bracket");
        }
        if self.kind().is_keyword() && is_name(expected) {
            return format!("`{word}` is a reserved word: use another name, such as `my_{word}`");
        }
        shape(expected).to_string()
    }
}

/// Whether a name of any sort was expected.
fn is_name(expected: &str) -> bool {
    expected.starts_with("a name") || expected.contains("'s name")
}

fn shape(expected: &str) -> &'static str {
    match expected {
        "a statement" => {
            "statements are `$name = value`, `kind \"name\" { ... }`, `if`, `for`, `forkv`, `func`, `class`, `include`, \
            `import`, edges and `panic(...)`"
        }
        "a value" => {
            "values are strings in quotes, numbers, `true`, `$variable`, calls, `[...]`, `{...}`, `struct{...}`, \
            `if c { a } else { b }` and `func() { ... }`"
        }
        "a type" => {
            "types are `bool`, `str`, `int`, `float`, `[]str`, `map{str: int}`, `struct{name str; port int}`, \
            `func(str) int` and `variant`"
        }
        "the end of the line" => {
            "one statement per line; maybe an operator, a comma or a bracket is missing before this, or this is too much"
        }
        "the end of the expression" => "maybe an operator is missing before this, or this is too much",
        "`=`" | "a type or `=`" => "define a variable with `$name = value`, or with a type: `$name str = value`",
        "`=>`" => "an arrow separates name and value: `name => value,`",
        "a comma" => "every element ends with a comma; over several lines also the last one",
        "`(`" | "`(` after a function's name" => "a call needs parentheses, also without arguments: `name()`",
        "`{`" => "a body is in braces that open on the same line: `{ ... }`",
        "`}`" => "close the braces with `}`",
        "`]`" => "close the brackets with `]`",
        "a field or `}`" | "a field" => "a field is `name => value,`; the body ends with `}`",
        "a field's name or `}`" => "a struct type is `struct{name str; port int}`",
        "`;` or `}`" => "separate the fields of a struct type with semicolons: `struct{name str; port int}`",
        "`:` and the type of the values" => "a map type is `map{str: int}`",
        "`else`" => "an `if` expression needs both branches: `if c { a } else { b }`",
        "`in`" => "a loop is `for $index, $value in $list { ... }` or `forkv $key, $value in $map { ... }`",
        "`->`" => {
            "an edge is `File[\"/a\"] -> Svc[\"b\"]`; to send a value, `Exec[\"a\"].output -> File[\"b\"].content`"
        }
        "a meta parameter" => "a meta parameter is `Meta:name => value`, such as `Meta:noop => true`",
        "`[` and the resource's name" => "refer to a resource as `Kind[\"name\"]`, with a capital letter",
        "`{` and the resource's fields" => "a resource is `kind \"name\" { field => value, }`; the braces are required",
        "an import name in quotes" => {
            "import a module with `import \"fmt\"`, a file with `import \"x.mcl\"`, a folder with `import \"x/\"`"
        }
        "a name or `*`" => "name an import with `as name`, or import all names with `as *`",
        "a name after the dot" => "a name with lower-case letters, digits and `_` must follow the dot",
        expected if is_name(expected) => {
            "names start with a lower-case letter and have lower-case letters, digits and `_`"
        }
        _ => "maybe a name, a comma or a bracket is missing before this",
    }
}
