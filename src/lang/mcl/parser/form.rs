//! What a form looks like that was begun and not ended: the way out of a syntax error that no habit explains.

use super::Parser;
use crate::lang::mcl::lexer::TokenKind as T;

impl Parser<'_> {
    /// How to write what was expected in place of the token at hand.
    #[cold]
    pub(super) fn form(&self, expected: &str) -> String {
        let word = self.slice(self.token());
        let open = match self.kind() {
            T::CloseParen | T::CloseBrack => self.brackets,
            T::CloseCurly => self.braces,
            _ => 1,
        };
        if open <= 0 {
            return format!(
                "nothing is open here that `{word}` could close: take it away, or look for what should open it"
            );
        }
        if self.kind().is_keyword() && is_name(expected) {
            return format!("`{word}` means something in the language: take another name, such as `my_{word}`");
        }
        shape(expected).to_string()
    }
}

/// Whether it is a name that was expected, of whatever.
fn is_name(expected: &str) -> bool {
    expected.starts_with("a name") || expected.contains("'s name")
}

fn shape(expected: &str) -> &'static str {
    match expected {
        "a statement" => {
            "a statement is `$name = value`, `kind \"name\" { ... }`, `if`, `for`, `forkv`, `func`, `class`, `include`, \
             `import`, an edge or `panic(...)`"
        }
        "a value" => {
            "a value is a text in quotes, a number, `true`, a `$variable`, a call, `[...]`, `{...}`, `struct{...}`, \
             `if c { a } else { b }` or `func() { ... }`"
        }
        "a type" => {
            "a type is `bool`, `str`, `int`, `float`, `[]str`, `map{str: int}`, `struct{name str; port int}`, \
             `func(str) int` or `variant`"
        }
        "the end of the line" => {
            "each statement has its line; an operator, a comma or a bracket may be missing before this, or this is left over"
        }
        "the end of the expression" => "an operator may be missing before this, or this is left over",
        "`=`" | "a type or `=`" => "a variable is `$name = value`, or with its type `$name str = value`",
        "`=>`" => "what belongs to a name follows an arrow: `name => value,`",
        "a comma" => "every element ends with a comma, also the last one where there are several lines",
        "`(`" | "`(` after a function's name" => "a call has parentheses, also without arguments: `name()`",
        "`{`" => "a body stands in braces, which open on the same line: `{ ... }`",
        "`}`" => "what is in braces ends with `}`",
        "`]`" => "what is in brackets ends with `]`",
        "a field or `}`" | "a field" => "a field is `name => value,`, and the body ends with `}`",
        "a field's name or `}`" => "a struct's type is `struct{name str; port int}`",
        "`;` or `}`" => "the fields of a struct's type are parted by semicolons: `struct{name str; port int}`",
        "`:` and the type of the values" => "a map's type is `map{str: int}`",
        "`else`" => "an `if` that gives a value has both branches: `if c { a } else { b }`",
        "`in`" => "a loop is `for $index, $value in $list { ... }` or `forkv $key, $value in $map { ... }`",
        "`->`" => {
            "an edge is `File[\"/a\"] -> Svc[\"b\"]`; what is sent goes by `Exec[\"a\"].output -> File[\"b\"].content`"
        }
        "a meta parameter" => "it is `Meta:name => value`, such as `Meta:noop => true`",
        "`[` and the resource's name" => "a resource is meant as `Kind[\"name\"]`, with a capital",
        "`{` and the resource's fields" => {
            "a resource is `kind \"name\" { field => value, }`, with braces also when empty"
        }
        "what to import, in quotes" => {
            "an import is `import \"fmt\"`, a file `import \"x.mcl\"`, a folder `import \"x/\"`"
        }
        "a name or `*`" => "an import is named `as name`, or taken in whole `as *`",
        "a name after the dot" => "what follows the dot is a name of small letters, digits and `_`",
        expected if is_name(expected) => {
            "a name begins with a small letter and has small letters, digits and `_` in it"
        }
        _ => "look at what stands before this: a name, a comma or a bracket may be missing there",
    }
}
