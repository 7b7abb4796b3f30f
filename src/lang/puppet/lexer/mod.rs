//! Text to tokens. The first problem ends the list as a [`T::Bad`] token: the parser reports it when it gets there.

mod epp;
mod heredoc;
mod string;

use super::ast::Text;
use super::issue::{Issue, IssueName};
use crate::lang::shared::texts::Texts;
use crate::source::{FileId, Span};

/// The kind of a token, with its text or value.
#[derive(Clone, Debug, PartialEq)]
pub enum T {
    Name(Text),
    /// A bare word that is no name; its value is a string.
    Word(Text),
    Ref(Text),
    Var(Text),
    Str(Text),
    Number(Text),
    Regex(Text),
    /// A keyword with its text.
    Key(Key),
    /// The text before the first interpolation, between two, and after the last one.
    Pre(Text),
    Mid(Text),
    Post(Text),
    /// A heredoc with its syntax; its text follows as one string.
    Heredoc(Text),
    /// `(` first on its line.
    LineParen,
    OpenParen,
    CloseParen,
    /// `[` after a blank.
    ListStart,
    OpenBrack,
    CloseBrack,
    OpenBrace,
    /// `{` after `?`.
    SelectBrace,
    CloseBrace,
    /// The operators and punctuation without a meaning of their own here.
    Sign(&'static str),
    EppStart,
    RenderText(Text),
    RenderExpr,
    EppEnd,
    Other(char),
    Bad(Box<Issue>),
    End,
}

macro_rules! keys {
    ($($variant:ident $text:literal)*) => {
        /// A keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Key { $($variant),* }
        impl Key {
            /// Finds a keyword by its text.
            pub fn of(text: &str) -> Option<Self> {
                match text { $($text => Some(Key::$variant),)* _ => None }
            }
            /// Returns the text of the keyword.
            pub fn as_str(self) -> &'static str {
                match self { $(Key::$variant => $text),* }
            }
        }
    };
}

keys! {
    Case "case" Class "class" Default "default" Define "define" If "if" Elsif "elsif" Else "else" Inherits "inherits"
    Node "node" And "and" Or "or" Undef "undef" False "false" True "true" In "in" Unless "unless" Function "function"
    Type "type" Attr "attr" Private "private"
}

impl T {
    /// A bracket as written.
    pub fn sign(&self) -> Option<&'static str> {
        match self {
            T::OpenBrace | T::SelectBrace => Some("{"),
            T::CloseBrace => Some("}"),
            T::OpenBrack | T::ListStart => Some("["),
            T::CloseBrack => Some("]"),
            T::OpenParen | T::LineParen => Some("("),
            T::CloseParen => Some(")"),
            _ => None,
        }
    }

    /// The text that a syntax error quotes.
    pub fn quoted(&self) -> String {
        match self {
            T::Name(t) | T::Word(t) | T::Ref(t) | T::Var(t) | T::Str(t) | T::Number(t) | T::Regex(t) => t.to_string(),
            T::Pre(t) | T::Mid(t) | T::Post(t) | T::Heredoc(t) | T::RenderText(t) => t.to_string(),
            T::Key(key) => key.as_str().into(),
            T::Sign(sign) => (*sign).into(),
            T::EppStart => "<%".into(),
            T::RenderExpr => "<%=".into(),
            T::EppEnd => "%>".into(),
            T::Other(c) => c.to_string(),
            T::LineParen
            | T::OpenParen
            | T::CloseParen
            | T::ListStart
            | T::OpenBrack
            | T::CloseBrack
            | T::OpenBrace
            | T::SelectBrace
            | T::CloseBrace => self.sign().unwrap_or_default().into(),
            T::Bad(_) | T::End => String::new(),
        }
    }
}

/// A token with its byte offsets in the file, end excluded.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: T,
    pub start: u32,
    pub end: u32,
}

/// Deeper interpolations, one inside of the other, are refused.
const MAX_NESTING: usize = 100;

/// A log entry of the reading: a warning and where it is.
pub type Warning = (Span, String);

/// Reads a whole file; in EPP mode it begins as text.
pub fn lex(file: FileId, text: &str, epp: bool, warnings: &mut Vec<Warning>) -> Vec<Token> {
    let mut lexer = Lexer {
        file,
        text,
        at: 0,
        out: Vec::with_capacity(text.len() / 5 + 2),
        jump: None,
        nesting: 0,
        opens_at: usize::MAX,
        epp,
        renders: false,
        offsets: None,
        no_regex_before: 0,
        texts: Texts::default(),
        warnings,
    };
    let end = match if epp { lexer.epp_text(true) } else { lexer.bom() }.and_then(|()| lexer.run(None)) {
        Ok(()) => T::End,
        Err(issue) => T::Bad(issue),
    };
    let at = lexer.at.min(text.len());
    lexer.push(end, at, at);
    lexer.out
}

type Lexed<V = ()> = Result<V, Box<Issue>>;

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    out: Vec<Token>,
    /// Where the text after the next line break begins: behind the heredocs of this line.
    jump: Option<usize>,
    nesting: usize,
    /// The token with which an interpolation begins.
    opens_at: usize,
    epp: bool,
    /// An expression of a template that is rendered is open.
    renders: bool,
    /// Of a heredoc's text without margin: where each of its lines begins here, and in the file.
    offsets: Option<Vec<(usize, usize)>>,
    /// There is no `/` from here to the end: found once, so that looking for one stays linear.
    no_regex_before: usize,
    /// Names repeat in most files.
    texts: Texts,
    warnings: &'a mut Vec<Warning>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'a> Lexer<'a> {
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The offset in the file of an offset in this text.
    fn outer(&self, at: usize) -> usize {
        match &self.offsets {
            None => at,
            Some(lines) => {
                let line = lines.partition_point(|(start, _)| *start <= at).saturating_sub(1);
                lines.get(line).map_or(at, |(start, original)| original + at.saturating_sub(*start))
            }
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.outer(start), self.outer(end))
    }

    fn push(&mut self, kind: T, start: usize, end: usize) {
        let (start, end) = (self.outer(start) as u32, self.outer(end) as u32);
        self.out.push(Token { kind, start, end });
    }

    fn sign(&mut self, sign: &'static str) {
        self.take(T::Sign(sign), sign.len());
    }

    fn take(&mut self, kind: T, length: usize) {
        self.push(kind, self.at, self.at + length);
        self.at += length;
    }

    fn fail<V>(&self, at: usize, name: IssueName, message: impl Into<String>) -> Lexed<V> {
        Err(Box::new(Issue::parse(self.span(at, at + 1), name, message)))
    }

    fn bom(&mut self) -> Lexed {
        if self.text.starts_with('\u{feff}') {
            return self.fail(
                0,
                IssueName::IllegalBom,
                "Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF] - remove these from the puppet source",
            );
        }
        Ok(())
    }

    /// Tokens up to the end, or up to the brace that closes an interpolation begun before.
    fn run(&mut self, interpolation: Option<usize>) -> Lexed {
        let mut braces = 0usize;
        loop {
            self.blanks()?;
            if self.at >= self.text.len() {
                return match interpolation {
                    Some(start) => self.fail(
                        start,
                        IssueName::UnclosedQuote,
                        format!("Unclosed quote after '${{' followed by '{}'", followed(&self.text[start..])),
                    ),
                    None => Ok(()),
                };
            }
            match self.byte(0) {
                b'{' => braces += 1,
                b'}' if braces == 0 && interpolation.is_some() => {
                    self.at += 1;
                    return Ok(());
                }
                b'}' => braces = braces.saturating_sub(1),
                _ => {}
            }
            self.token()?;
        }
    }

    /// Skips blanks and comments; at a line break, the heredocs of the line.
    fn blanks(&mut self) -> Lexed {
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { return Ok(()) };
            match c {
                '\n' => {
                    self.at += 1;
                    if let Some(to) = self.jump.take() {
                        self.at = to;
                    }
                }
                '#' => self.at += rest.find('\n').unwrap_or(rest.len()),
                '/' if self.byte(1) == b'*' => match rest[2..].find("*/") {
                    Some(end) => self.at += end + 4,
                    None => return self.fail(self.at, IssueName::UnclosedMlcomment, "Unclosed multiline comment"),
                },
                c if c.is_whitespace() => self.at += c.len_utf8(),
                _ => return Ok(()),
            }
        }
    }

    fn token(&mut self) -> Lexed {
        let (b0, b1, b2) = (self.byte(0), self.byte(1), self.byte(2));
        match (b0, b1, b2) {
            (b'a'..=b'z' | b'_', ..) => self.word()?,
            (b'A'..=b'Z', ..) => self.reference()?,
            (b'0'..=b'9', ..) => self.number()?,
            (b'$', ..) => self.variable(),
            (b'\'', ..) => self.single_quoted()?,
            (b'"', ..) => self.double_quoted()?,
            (b':', b':', b'A'..=b'Z') => self.reference()?,
            (b':', b':', _) => self.word()?,
            (b'/', ..) => self.slash(),
            (b'@', b'(', _) => self.heredoc()?,
            (b'(', ..) => {
                let kind = if self.is_first_on_line() { T::LineParen } else { T::OpenParen };
                self.take(kind, 1);
            }
            (b')', ..) => self.take(T::CloseParen, 1),
            (b'[', ..) => {
                let blank = self.at == 0 || self.text[..self.at].ends_with(char::is_whitespace);
                self.take(if blank { T::ListStart } else { T::OpenBrack }, 1);
            }
            (b']', ..) => self.take(T::CloseBrack, 1),
            (b'{', ..) => {
                let selects = self.out.last().is_some_and(|t| t.kind == T::Sign("?"));
                self.take(if selects { T::SelectBrace } else { T::OpenBrace }, 1);
            }
            (b'}', ..) => self.take(T::CloseBrace, 1),
            (b'%', b'>', _) | (b'-', b'%', b'>') if self.epp => {
                let length = if b0 == b'-' { 3 } else { 2 };
                // Only what is rendered has an end: other code may go on behind text.
                if std::mem::take(&mut self.renders) {
                    self.take(T::EppEnd, length);
                } else {
                    self.at += length;
                }
                let trim = b0 == b'-';
                if trim {
                    self.at += self.trimmed_line();
                }
                self.epp_text(false)?;
            }
            _ => self.operator(),
        }
        Ok(())
    }

    fn operator(&mut self) {
        const SIGNS: [&str; 37] = [
            "<<|", "|>>", "->", "-=", "~>", "=~", "==", "=>", "+=", "+>", "!~", "!=", "<=", "<<", "<|", "<-", "<~",
            ">=", ">>", "|>", "@@", "=", "+", "-", "*", "/", "%", "<", ">", "!", "?", "|", ",", ".", ";", ":", "@",
        ];
        let rest = self.rest();
        match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => self.sign(sign),
            None => {
                let c = rest.chars().next().unwrap_or('?');
                self.take(T::Other(c), c.len_utf8());
            }
        }
    }

    fn is_first_on_line(&self) -> bool {
        let line = self.text[..self.at].rsplit('\n').next().unwrap_or_default();
        line.chars().all(char::is_whitespace)
    }

    /// How long a bare word is: `((::)?[a-z_]([\w-]*\w)?)+`.
    fn bare_word(&self) -> usize {
        let bytes = self.rest().as_bytes();
        let byte = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let mut end = 0;
        loop {
            let mut at = end;
            if byte(at) == b':' && byte(at + 1) == b':' {
                at += 2;
            }
            if !(byte(at).is_ascii_lowercase() || byte(at) == b'_') {
                return end;
            }
            let mut last = at;
            at += 1;
            while is_word(byte(at)) || byte(at) == b'-' {
                if is_word(byte(at)) {
                    last = at;
                }
                at += 1;
            }
            end = last + 1;
        }
    }

    fn word(&mut self) -> Lexed {
        let length = self.bare_word();
        if length == 0 {
            return self.fail(self.at + 2, IssueName::IllegalFullyQualifiedName, "Illegal fully qualified name");
        }
        let text = &self.rest()[..length];
        let kind = match Key::of(text) {
            Some(key) => T::Key(key),
            None if is_name(text) => T::Name(self.texts.share(text)),
            None => T::Word(self.texts.share(text)),
        };
        self.take(kind, length);
        Ok(())
    }

    fn reference(&mut self) -> Lexed {
        let bytes = self.rest().as_bytes();
        let byte = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let mut end = 0;
        loop {
            let mut at = end;
            if byte(at) == b':' && byte(at + 1) == b':' {
                at += 2;
            }
            if !byte(at).is_ascii_uppercase() {
                break;
            }
            while is_word(byte(at)) {
                at += 1;
            }
            end = at;
        }
        if byte(end) == b':' && byte(end + 1) == b':' {
            return self.fail(self.at + end + 2, IssueName::IllegalClassReference, "Illegal class reference");
        }
        let text = self.texts.share(&self.rest()[..end]);
        self.take(T::Ref(text), end);
        Ok(())
    }

    fn number(&mut self) -> Lexed {
        let bytes = self.rest().as_bytes();
        let byte = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let digits = |mut at: usize, hex: bool| {
            while byte(at).is_ascii_digit() || hex && byte(at).is_ascii_hexdigit() {
                at += 1;
            }
            at
        };
        let is_hex = byte(0) == b'0' && matches!(byte(1), b'x' | b'X');
        let mut end;
        if is_hex {
            end = digits(2, true);
            if end == 2 {
                end = 0;
            }
        } else {
            end = digits(0, false);
            if byte(end) == b'.' && byte(end + 1).is_ascii_digit() {
                end = digits(end + 1, false);
            }
            if matches!(byte(end), b'e' | b'E') {
                let sign = usize::from(byte(end + 1) == b'-');
                if byte(end + 1 + sign).is_ascii_digit() {
                    end = digits(end + 1 + sign, false);
                }
            }
        }
        if end == 0 || is_word(byte(end)) {
            let rest = self.rest();
            let word = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
            let shown = &rest[..rest.floor_char_boundary(word.min(60))];
            return self.fail(self.at, IssueName::IllegalNumber, format!("Illegal number '{shown}'"));
        }
        let text = &self.rest()[..end];
        let is_plain = text.bytes().all(|b| b.is_ascii_digit());
        if is_plain && text.len() > 1 && text.starts_with('0') && text.contains(['8', '9']) {
            return self.fail(self.at, IssueName::InvalidOctalNumber, format!("Not a valid octal number {text}"));
        }
        self.take(T::Number(text.into()), end);
        Ok(())
    }

    /// How long a variable's name after its dollar is: `(::)?(\w+::)*\w+`.
    fn variable_length(&self, from: usize) -> usize {
        let bytes = &self.text.as_bytes()[from.min(self.text.len())..];
        let byte = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let mut end = 0;
        loop {
            let mut at = end;
            if byte(at) == b':' && byte(at + 1) == b':' {
                at += 2;
            } else if end > 0 {
                return end;
            }
            if !is_word(byte(at)) {
                return end;
            }
            while is_word(byte(at)) {
                at += 1;
            }
            end = at;
        }
    }

    fn variable(&mut self) {
        let length = self.variable_length(self.at + 1);
        let name = self.text[self.at + 1..self.at + 1 + length].into();
        self.take(T::Var(name), length + 1);
    }

    /// A regular expression where one may begin and one ends, else a division.
    fn slash(&mut self) {
        let divides = self.out.len() != self.opens_at
            && self.out.last().is_some_and(|token| {
                matches!(
                    token.kind,
                    T::CloseParen
                        | T::CloseBrack
                        | T::Sign("|>" | "|>>")
                        | T::Name(_)
                        | T::Ref(_)
                        | T::Number(_)
                        | T::Str(_)
                        | T::Word(_)
                        | T::Key(Key::True | Key::False)
                        | T::Pre(_)
                        | T::Mid(_)
                        | T::Post(_)
                        | T::Heredoc(_)
                        | T::Regex(_)
                        | T::Var(_)
                )
            });
        let end = if divides || self.at < self.no_regex_before { None } else { self.regex_end() };
        match end {
            Some(end) => {
                let text = self.text[self.at + 1..end].replace("\\/", "/");
                self.take(T::Regex(text.into()), end + 1 - self.at);
            }
            None => self.sign("/"),
        }
    }

    fn regex_end(&mut self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        while at < bytes.len() {
            match bytes[at] {
                b'/' => return Some(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.no_regex_before = bytes.len();
        None
    }
}

/// Whether a word is a name: `(::)?[a-z]\w*(::[a-z]\w*)*`.
pub fn is_name(text: &str) -> bool {
    let text = text.strip_prefix("::").unwrap_or(text);
    text.split("::").all(|part| part.starts_with(|c: char| c.is_ascii_lowercase()) && part.bytes().all(is_word))
}

/// The beginning of a text, as an error about an unclosed one quotes it.
fn followed(text: &str) -> String {
    let short: String = text.chars().take(6).collect();
    let shown = short.replace('\n', "\\n");
    if short.len() < text.len() { format!("{shown}...") } else { shown }
}
