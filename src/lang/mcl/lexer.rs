//! Splits text into tokens, each with its span; comments are separate.
//!
//! The longest match wins, as in the reference. A problem does not stop the lexer: it is reported, becomes
//! [`TokenKind::Unknown`] or a token with a harmless value, and the parser continues.

use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Span, is_hostile};
use crate::world::Stop;

/// More problems of one file than this are not reported.
const MAX_PROBLEMS: usize = 100;

/// Bytes between two checks for cancellation.
const LOOK_EVERY: usize = 1 << 17;

/// The kind of a token. Keywords are reserved, except where [`TokenKind::is_name`] is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Newline,
    /// `[a-z]([a-z0-9_]*[a-z0-9])?`
    Ident,
    /// `[A-Z]([a-z0-9_]*[a-z0-9])?`
    Capitalized,
    /// With its quotes, escapes as written.
    Str,
    Int,
    Float,
    // Keywords.
    If,
    Else,
    And,
    Or,
    Not,
    In,
    For,
    ForKv,
    Bool,
    StrType,
    IntType,
    FloatType,
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
    // Punctuation.
    OpenCurly,
    CloseCurly,
    OpenParen,
    CloseParen,
    OpenBrack,
    CloseBrack,
    Elvis,
    Default,
    Rocket,
    Comma,
    Colon,
    Semicolon,
    Equals,
    Plus,
    Minus,
    Multiply,
    Divide,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Arrow,
    Dot,
    Dollar,
    /// Already reported.
    Unknown,
    /// After the last token, repeatedly.
    End,
}

use TokenKind as T;

impl TokenKind {
    /// Whether it can be a variable, a function or a part of a dotted name.
    pub fn is_name(self) -> bool {
        matches!(self, T::Ident | T::Map | T::Collect)
    }

    /// Whether it is a keyword, from `if` to `collect` in the order of the variants.
    pub fn is_keyword(self) -> bool {
        self as u8 >= T::If as u8 && self as u8 <= T::Collect as u8
    }
}

/// A token with its byte offsets in the file, end excluded.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

/// A file's tokens. The last one is always [`TokenKind::End`], and every line has its [`TokenKind::Newline`].
#[derive(Debug)]
pub struct Tokens {
    pub list: Vec<Token>,
    pub comments: Vec<Span>,
}

/// Reads a whole file. Problems are appended in order of position.
pub fn lex(file: FileId, text: &str, problems: &mut Vec<Diagnostic>) -> Tokens {
    lex_until(file, text, &Stop::default(), problems)
}

/// The same, up to a cancellation; the caller must check for one too.
pub fn lex_until(file: FileId, text: &str, stop: &Stop, problems: &mut Vec<Diagnostic>) -> Tokens {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        at: 0,
        out: Tokens { list: Vec::with_capacity(text.len() / 4 + 2), comments: Vec::new() },
        problems,
        seen_carriage_return: false,
        last_unknown: None,
    };
    let mut next_look = 0;
    while lexer.at < text.len() {
        if lexer.at >= next_look {
            if stop.reached().is_some() {
                break;
            }
            next_look = lexer.at + LOOK_EVERY;
        }
        lexer.next();
    }
    lexer.finish()
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    out: Tokens,
    problems: &'a mut Vec<Diagnostic>,
    seen_carriage_return: bool,
    /// The character and end of the newest unknown token: a run of one character is one problem.
    last_unknown: Option<(char, usize)>,
}

impl Lexer<'_> {
    fn next(&mut self) {
        let rest = &self.bytes[self.at..];
        match rest[0] {
            b' ' | b'\t' => self.at += 1,
            b'\r' => self.carriage_return(),
            // One line break is as good as many.
            b'\n' if self.out.list.last().is_some_and(|t| t.kind == T::Newline) => self.at += 1,
            b'\n' => self.push(T::Newline, 1),
            b'#' => self.comment(),
            b'"' => self.string(),
            b'a'..=b'z' => self.word(),
            b'A'..=b'Z' => self.push(T::Capitalized, name_length(rest)),
            b'0'..=b'9' => self.number(),
            b'-' if rest.get(1).is_some_and(u8::is_ascii_digit) => self.number(),
            _ => match punctuation(rest) {
                Some((kind, length)) => self.push(kind, length),
                None if rest[0] == b'|' => self.older_default(),
                None => self.unknown(),
            },
        }
    }

    /// Ends the last line if it is open, so that every statement has its line break.
    fn finish(mut self) -> Tokens {
        if self.out.list.last().is_some_and(|t| t.kind != T::Newline) {
            self.push(T::Newline, 0);
        }
        self.push(T::End, 0);
        self.out
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let start = self.at;
        self.at += length;
        self.out.list.push(Token { kind, start: start as u32, end: self.at as u32 });
    }

    /// Keeps only the first problems: a file that is not text must not fill the memory with them.
    fn report(&mut self, problem: Diagnostic) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn span(&self, length: usize) -> Span {
        Span::new(self.file, self.at, self.at + length)
    }

    fn carriage_return(&mut self) {
        if !self.seen_carriage_return {
            self.seen_carriage_return = true;
            self.report(
                Diagnostic::error(Code::CarriageReturn, self.span(1))
                    .label("mcl does not allow carriage returns")
                    .help("save the file with Unix line endings (`sed -i 's/\\r$//' FILE`)"),
            );
        }
        self.at += 1;
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        self.out.comments.push(self.span(length));
        self.at += length;
    }

    fn string(&mut self) {
        let rest = &self.bytes[self.at..];
        match string_length(rest) {
            Some(length) => self.push(T::Str, length),
            None => {
                let line = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                self.report(
                    Diagnostic::error(Code::UnterminatedString, self.span(line))
                        .label("this string has no closing quote")
                        .help("close it with `\"`; write a quote inside a string as `\\\"`"),
                );
                self.push(T::Unknown, line);
            }
        }
    }

    fn word(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = name_length(rest);
        let kind = keyword(&rest[..length]).unwrap_or(T::Ident);
        self.push(kind, length);
    }

    fn number(&mut self) {
        let rest = &self.bytes[self.at..];
        let digits = |from: usize| rest[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let sign = usize::from(rest[0] == b'-');
        let whole = sign + digits(sign);
        let fraction = if rest.get(whole) == Some(&b'.') { digits(whole + 1) } else { 0 };
        let (kind, length) = if fraction > 0 { (T::Float, whole + 1 + fraction) } else { (T::Int, whole) };
        let word = &self.text[self.at..self.at + length];
        let fits = match kind {
            T::Int => word.parse::<i64>().is_ok(),
            _ => word.parse::<f64>().is_ok_and(f64::is_finite),
        };
        if !fits {
            let range = if kind == T::Int { "-9223372036854775808 to 9223372036854775807" } else { "about ±1.8e308" };
            self.report(
                Diagnostic::error(Code::NumberOverflow, self.span(length))
                    .label("this number does not fit in 64 bits")
                    .help(format!("the range is {range}")),
            );
        }
        self.push(kind, length);
    }

    /// `||` and `|` were defaults in earlier versions; they are read as today's `<|>`.
    fn older_default(&mut self) {
        let length = 1 + usize::from(self.bytes.get(self.at + 1) == Some(&b'|'));
        self.report(
            Diagnostic::error(Code::OlderSyntax, self.span(length))
                .label("old syntax of a default")
                .help("use `<|>` for a default, and `or` between two bools"),
        );
        self.push(T::Default, length);
    }

    fn unknown(&mut self) {
        let Some(c) = self.text[self.at..].chars().next() else { return };
        let length = c.len_utf8();
        if let Some(whole) = foreign_string_length(c, &self.text[self.at..]) {
            let inner = &self.text[self.at + length..self.at + whole].trim_end_matches(closing_quote(c));
            self.report(
                Diagnostic::error(Code::UnknownCharacter, self.span(whole))
                    .label(format!("`{c}` is not a quote in mcl"))
                    .help(format!("strings use double quotes: `\"{inner}\"`")),
            );
            self.push(T::Unknown, whole);
            return;
        }
        if self.last_unknown != Some((c, self.at)) {
            let label = match c.is_control() || c.is_whitespace() || is_hostile(c) || c == '\u{feff}' {
                true => format!("invisible character U+{:04X} is not allowed here", u32::from(c)),
                false if c == '&' && self.text[self.at + length..].starts_with('&') => {
                    "`&&` is no operator of mcl".into()
                }
                false => format!("`{c}` is not allowed here"),
            };
            let next = self.text[self.at + length..].chars().next();
            self.report(
                Diagnostic::error(Code::UnknownCharacter, self.span(length)).label(label).help(unknown_help(c, next)),
            );
            self.push(T::Unknown, length);
        } else {
            self.at += length;
        }
        self.last_unknown = Some((c, self.at));
    }
}

/// The length of a string in another language's quotes, if it ends on its line.
fn foreign_string_length(quote: char, text: &str) -> Option<usize> {
    let line = text.lines().next()?;
    let open = quote.len_utf8();
    if !matches!(quote, '\'' | '`' | '“' | '‘' | '”' | '’') {
        return None;
    }
    let close = closing_quote(quote);
    let at = line[open..].find(close)?;
    Some(open + at + close.len_utf8())
}

fn closing_quote(open: char) -> char {
    match open {
        '“' | '”' => '”',
        '‘' | '’' => '’',
        other => other,
    }
}

fn unknown_help(c: char, next: Option<char>) -> &'static str {
    match c {
        '\'' | '`' | '“' | '”' | '‘' | '’' => "strings use double quotes: `\"...\"`",
        '&' => "use `and`",
        '!' => "use `not`, or `!=` for unequal",
        '~' if next == Some('>') => "use `->` for an edge; a resource that reacts to changes sets `Listen => ...`",
        '%' => "use `math.mod($a, $b)` for the remainder, with `import \"math\"`",
        '^' => "use `math.pow($a, $b)` for powers, with `import \"math\"`",
        '~' => "not an operator of mcl; match a pattern with `regexp.match(pattern, $text)`",
        '_' => "a name starts with a letter and ends with a letter or digit; unused variables need a name too",
        '?' => {
            "choose between two values with `if condition { a } else { b }`; for an optional parameter, write \
            `condition ?: value`; a type has no `?`: remove it there"
        }
        '@' => "use an `exec` resource for commands; mcl has no decorators, and `$` is the only sigil",
        '\u{a0}' | '\u{202f}' | '\u{2007}' => "a non-breaking space: replace it by a plain space",
        '–' | '—' | '−' => "write `-`: this is a dash",
        '\u{feff}' => "save the file without a byte order mark",
        '\\' => "a backslash does not continue a line; break the line inside brackets",
        _ => "outside strings and comments, only ASCII letters, digits and the signs of mcl are allowed",
    }
}

/// The length of the name at the start: it does not end in an underscore.
fn name_length(bytes: &[u8]) -> usize {
    let run = 1 + bytes[1..].iter().take_while(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_')).count();
    let underscores = bytes[1..run].iter().rev().take_while(|b| **b == b'_').count();
    run - underscores
}

/// The length of the string at the start, quotes included; `None` if it does not end.
///
/// A quote after a backslash may end the string or not: the longest match wins, so it does only if no other quote
/// follows in the file. So a string cannot end in `\\` unless it is the file's last.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut longest = None;
    for (i, b) in bytes.iter().enumerate().skip(1) {
        if *b == b'"' {
            longest = Some(i + 1);
            if bytes[i - 1] != b'\\' {
                break;
            }
        }
    }
    longest
}

fn keyword(word: &[u8]) -> Option<TokenKind> {
    Some(match word {
        b"if" => T::If,
        b"else" => T::Else,
        b"and" => T::And,
        b"or" => T::Or,
        b"not" => T::Not,
        b"in" => T::In,
        b"for" => T::For,
        b"forkv" => T::ForKv,
        b"bool" => T::Bool,
        b"str" => T::StrType,
        b"int" => T::IntType,
        b"float" => T::FloatType,
        b"map" => T::Map,
        b"struct" => T::Struct,
        b"func" => T::Func,
        b"class" => T::Class,
        b"include" => T::Include,
        b"import" => T::Import,
        b"as" => T::As,
        b"variant" => T::Variant,
        b"true" => T::True,
        b"false" => T::False,
        b"panic" => T::Panic,
        b"collect" => T::Collect,
        _ => return None,
    })
}

fn punctuation(bytes: &[u8]) -> Option<(TokenKind, usize)> {
    let second = bytes.get(1).copied().unwrap_or(0);
    Some(match (bytes[0], second) {
        (b'{', _) => (T::OpenCurly, 1),
        (b'}', _) => (T::CloseCurly, 1),
        (b'(', _) => (T::OpenParen, 1),
        (b')', _) => (T::CloseParen, 1),
        (b'[', _) => (T::OpenBrack, 1),
        (b']', _) => (T::CloseBrack, 1),
        (b'?', b':') => (T::Elvis, 2),
        (b'<', b'|') if bytes.get(2) == Some(&b'>') => (T::Default, 3),
        (b'<', b'=') => (T::Le, 2),
        (b'<', _) => (T::Lt, 1),
        (b'>', b'=') => (T::Ge, 2),
        (b'>', _) => (T::Gt, 1),
        (b'=', b'>') => (T::Rocket, 2),
        (b'=', b'=') => (T::Eq, 2),
        (b'=', _) => (T::Equals, 1),
        (b'!', b'=') => (T::Ne, 2),
        (b'-', b'>') => (T::Arrow, 2),
        (b'-', _) => (T::Minus, 1),
        (b'+', _) => (T::Plus, 1),
        (b'*', _) => (T::Multiply, 1),
        (b'/', _) => (T::Divide, 1),
        (b',', _) => (T::Comma, 1),
        (b':', _) => (T::Colon, 1),
        (b';', _) => (T::Semicolon, 1),
        (b'.', _) => (T::Dot, 1),
        (b'$', _) => (T::Dollar, 1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{TokenKind as T, lex};
    use crate::source::FileId;

    fn kinds(text: &str) -> Vec<T> {
        lex(FileId(0), text, &mut Vec::new()).list.iter().map(|t| t.kind).collect()
    }

    #[test]
    fn the_longest_match_wins() {
        assert_eq!(kinds("1-1"), [T::Int, T::Int, T::Newline, T::End]);
        assert_eq!(kinds("1.5.x"), [T::Float, T::Dot, T::Ident, T::Newline, T::End]);
        assert_eq!(kinds("iffy if"), [T::Ident, T::If, T::Newline, T::End]);
        assert_eq!(kinds("ab_"), [T::Ident, T::Unknown, T::Newline, T::End]);
        assert_eq!(kinds("aB"), [T::Ident, T::Capitalized, T::Newline, T::End]);
        assert_eq!(kinds("<|>\n"), [T::Default, T::Newline, T::End]);
        assert_eq!(kinds(""), [T::End]);
    }

    #[test]
    fn a_string_that_ends_in_a_backslash_runs_on_to_the_next_quote() {
        assert_eq!(kinds(r#""a\"b""#), [T::Str, T::Newline, T::End]);
        assert_eq!(kinds(r#""a\\""#), [T::Str, T::Newline, T::End]);
        assert_eq!(kinds(r#""a\\" "b""#), [T::Str, T::Ident, T::Unknown, T::Newline, T::End]);
    }
}
