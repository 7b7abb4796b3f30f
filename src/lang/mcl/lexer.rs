//! Text to tokens: longest match, line breaks are tokens, comments stand apart.
//!
//! Source: mgmt `lang/parser/lexer.nex`.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Span};

/// What a token is; its text is under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Newline,
    /// `name`: lower case.
    Identifier,
    /// `Name`: for edges and meta parameters.
    Capitalized,
    Integer,
    Float,
    String,
    Keyword(Keyword),
    OpenCurly,
    CloseCurly,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    /// `?:`
    Elvis,
    /// `<|>`
    Except,
    /// `=>`
    Rocket,
    Comma,
    Colon,
    Semicolon,
    Equals,
    Plus,
    Minus,
    Star,
    Slash,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Arrow,
    Dot,
    Dollar,
    /// The end of the text.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keyword {
    If,
    Else,
    And,
    Or,
    Not,
    In,
    For,
    ForKv,
    Bool,
    Str,
    Int,
    Float,
    Map,
    Struct,
    Func,
    Class,
    Include,
    Import,
    As,
    Variant,
    True,
    False,
    Panic,
    Collect,
}

const KEYWORDS: [(&str, Keyword); 24] = [
    ("if", Keyword::If),
    ("else", Keyword::Else),
    ("and", Keyword::And),
    ("or", Keyword::Or),
    ("not", Keyword::Not),
    ("in", Keyword::In),
    ("for", Keyword::For),
    ("forkv", Keyword::ForKv),
    ("bool", Keyword::Bool),
    ("str", Keyword::Str),
    ("int", Keyword::Int),
    ("float", Keyword::Float),
    ("map", Keyword::Map),
    ("struct", Keyword::Struct),
    ("func", Keyword::Func),
    ("class", Keyword::Class),
    ("include", Keyword::Include),
    ("import", Keyword::Import),
    ("as", Keyword::As),
    ("variant", Keyword::Variant),
    ("true", Keyword::True),
    ("false", Keyword::False),
    ("panic", Keyword::Panic),
    ("collect", Keyword::Collect),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The tokens of a text, closed by [`Kind::End`], and its comments.
#[derive(Debug)]
pub struct Tokens {
    pub list: Vec<Token>,
    pub comments: Vec<Span>,
}

/// Splits a text into tokens. What cannot be one is told and left out.
pub fn lex(file: FileId, text: &str, diags: &mut Diagnostics) -> Tokens {
    let mut tokens = Tokens { list: Vec::with_capacity(text.len() / 4), comments: Vec::new() };
    let mut at = 0;
    while at < text.len() {
        let (len, found) = next(&text[at..]);
        let span = Span::new(file, at, at + len);
        match found {
            Found::Token(kind) => tokens.list.push(Token { kind, span }),
            Found::Space => {}
            Found::Comment => tokens.comments.push(span),
            Found::Wrong(code, label, help) => diags.push(Diagnostic::error(code, span).label(label).help(help)),
        }
        at += len;
    }
    tokens.list.push(Token { kind: Kind::End, span: Span::new(file, text.len(), text.len()) });
    tokens
}

enum Found {
    Token(Kind),
    Space,
    Comment,
    Wrong(Code, &'static str, &'static str),
}

/// The length and meaning of what a non-empty text starts with.
fn next(text: &str) -> (usize, Found) {
    let bytes = text.as_bytes();
    let run = |class: fn(u8) -> bool| bytes.iter().take_while(|b| class(**b)).count();
    match bytes[0] {
        b' ' | b'\t' => (run(|b| matches!(b, b' ' | b'\t')), Found::Space),
        b'\n' => (1, Found::Token(Kind::Newline)),
        b'#' => (run(|b| b != b'\n'), Found::Comment),
        b'\r' => (
            1,
            Found::Wrong(Code::CarriageReturn, "a carriage return", "save the file with unix line ends (`\\n` alone)"),
        ),
        b'"' => string(bytes),
        b'a'..=b'z' => {
            let len = word(bytes);
            let keyword = KEYWORDS.iter().find(|(name, _)| *name == &text[..len]);
            (len, Found::Token(keyword.map_or(Kind::Identifier, |(_, k)| Kind::Keyword(*k))))
        }
        b'A'..=b'Z' => (word(bytes), Found::Token(Kind::Capitalized)),
        b'0'..=b'9' => number(bytes, 0),
        b'-' if bytes.get(1).is_some_and(u8::is_ascii_digit) => number(bytes, 1),
        _ => punctuation(text),
    }
}

/// Letters, digits and inner underscores: a word does not end in one.
fn word(bytes: &[u8]) -> usize {
    let len = 1 + bytes[1..].iter().take_while(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_')).count();
    bytes[..len].iter().rposition(|b| *b != b'_').map_or(len, |last| last + 1)
}

fn number(bytes: &[u8], sign: usize) -> (usize, Found) {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = sign + digits(sign);
    if bytes.get(whole) == Some(&b'.') && bytes.get(whole + 1).is_some_and(u8::is_ascii_digit) {
        return (whole + 1 + digits(whole + 1), Found::Token(Kind::Float));
    }
    (whole, Found::Token(Kind::Integer))
}

/// From quote to quote, over lines; a backslash takes the next character along.
fn string(bytes: &[u8]) -> (usize, Found) {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return (at + 1, Found::Token(Kind::String)),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    // Only the first line is blamed: the rest is most likely code.
    let line = bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
    (line, Found::Wrong(Code::UnterminatedString, "this text does not end", "close it with a `\"`"))
}

fn punctuation(text: &str) -> (usize, Found) {
    const LONG: [(&str, Kind); 9] = [
        ("<|>", Kind::Except),
        ("?:", Kind::Elvis),
        ("=>", Kind::Rocket),
        ("==", Kind::Eq),
        ("!=", Kind::Ne),
        ("<=", Kind::Le),
        (">=", Kind::Ge),
        ("->", Kind::Arrow),
        ("||", Kind::End),
    ];
    if let Some((sign, kind)) = LONG.iter().find(|(sign, _)| text.starts_with(sign)) {
        return match kind {
            Kind::End => (2, Found::Wrong(Code::OlderSyntax, "the older form of a default", "write `<|>`")),
            kind => (sign.len(), Found::Token(*kind)),
        };
    }
    let first = text.chars().next().unwrap_or(' ');
    let kind = match first {
        '{' => Kind::OpenCurly,
        '}' => Kind::CloseCurly,
        '(' => Kind::OpenParen,
        ')' => Kind::CloseParen,
        '[' => Kind::OpenBracket,
        ']' => Kind::CloseBracket,
        ',' => Kind::Comma,
        ':' => Kind::Colon,
        ';' => Kind::Semicolon,
        '=' => Kind::Equals,
        '+' => Kind::Plus,
        '-' => Kind::Minus,
        '*' => Kind::Star,
        '/' => Kind::Slash,
        '<' => Kind::Lt,
        '>' => Kind::Gt,
        '.' => Kind::Dot,
        '$' => Kind::Dollar,
        '|' => return (1, Found::Wrong(Code::OlderSyntax, "the older form of a default", "write `<|>`")),
        '\'' => return (1, Found::Wrong(Code::UnknownCharacter, "a single quote", "texts stand in double quotes")),
        c => {
            return (
                c.len_utf8(),
                Found::Wrong(Code::UnknownCharacter, "this means nothing here", "remove it, or quote it"),
            );
        }
    };
    (1, Found::Token(kind))
}
