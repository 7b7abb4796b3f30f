//! The tokens of Ruby's text.

use crate::lang::ruby::Text;

/// One token with its line, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: Tok,
    pub line: u32,
    /// A blank or a line end is before it.
    pub spaced: bool,
}

/// The kind of a token, with its value.
#[derive(Clone, Debug, PartialEq)]
pub enum Tok {
    Ident(Text),
    Const(Text),
    /// `@a`, without the at sign; `@@a` with one.
    Ivar(Text),
    /// `$a`, without the dollar.
    Gvar(Text),
    /// A reserved word.
    Word(&'static str),
    /// `a:` before a value.
    Label(Text),
    Int(i64),
    Float(f64),
    Str(Vec<Part>),
    /// `"a":` before a value.
    StrLabel(Vec<Part>),
    Symbol(Vec<Part>),
    /// The expression and its options.
    Regexp(Vec<Part>, Text),
    /// `%w(a b)`; of `%i` they are symbols.
    Words(Vec<Vec<Part>>, bool),
    Op(&'static str),
    /// The end of a line, or `;`.
    Newline,
    /// The text of a template between its tags.
    Text(Text),
    /// `<%=`
    Output,
    /// The end of what `<%=` prints.
    OutputEnd,
    Eof,
}

/// A piece of a text with interpolation.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    Code(Vec<Token>),
}

/// What is wrong, and in which line.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub line: u32,
    /// As the subject of a sentence, such as "the method `x`".
    pub what: String,
}

impl Fault {
    /// Makes a fault in a line.
    pub fn new(line: u32, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// The reserved words.
pub const WORDS: [&str; 38] = [
    "alias", "and", "begin", "BEGIN", "break", "case", "class", "def", "defined?", "do", "else", "elsif", "end", "END",
    "ensure", "false", "for", "if", "in", "module", "next", "nil", "not", "or", "redo", "rescue", "retry", "return",
    "self", "super", "then", "true", "undef", "unless", "until", "when", "while", "yield",
];

/// The longest first.
pub const OPS: [&str; 59] = [
    "**=", "<=>", "===", "...", "<<=", ">>=", "&&=", "||=", "&.", "**", "==", "!=", ">=", "<=", "&&", "||", "=~", "!~",
    "..", "::", "->", "=>", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<", ">>", "+", "-", "*", "/", "%", "=",
    "<", ">", "!", "&", "|", "^", "~", "?", ":", ",", ".", "(", ")", "[", "]", "{", "}", "\\", "`", "@", "$",
];
