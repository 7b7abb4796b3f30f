//! Splits templates into tokens: text between pairs of braces, and the tokens within them.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Open,
    Close,
    /// Separates words: `$x .Y` is not `$x.Y`.
    Space,
    /// A keyword, a function, `true`, `false` or `nil`.
    Word,
    Dot,
    /// With its dot.
    Field,
    /// With its dollar sign.
    Variable,
    Number,
    /// In double or single quotes or backquotes, with them.
    Quoted,
    Declare,
    Assign,
    Pipe,
    OpenParen,
    CloseParen,
    /// Any other character.
    Sign,
    End,
}

/// A piece of a template.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub at: usize,
}

/// A lexical error, with its place.
#[derive(Debug)]
pub struct Problem {
    pub at: usize,
    pub message: String,
}

impl Problem {
    /// Makes a problem at a byte offset of the template.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// All tokens of a template; the last one is its end.
pub fn tokens(source: &str) -> Result<Vec<Token<'_>>, Problem> {
    let mut lexer = Lexer { source, at: 0, tokens: Vec::new() };
    while lexer.text()? {
        lexer.action()?;
    }
    lexer.push(Kind::End, source.len());
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    tokens: Vec<Token<'a>>,
}

/// White space in a template.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Adds a token that ends at a position.
    fn push(&mut self, kind: Kind, end: usize) {
        self.tokens.push(Token { kind, text: &self.source[self.at..end], at: self.at });
        self.at = end;
    }

    /// Text up to the next action, without white space that a dash trims; returns whether there is an action.
    fn text(&mut self) -> Result<bool, Problem> {
        loop {
            let open = self.rest().find("{{").map(|at| self.at + at);
            let end = open.unwrap_or(self.source.len());
            let after = &self.source[end..];
            let trims = after.strip_prefix("{{-").is_some_and(|rest| rest.starts_with(is_space));
            let text = &self.source[self.at..end];
            let kept = if trims { text.trim_end_matches(is_space) } else { text };
            if !kept.is_empty() {
                self.push(Kind::Text, self.at + kept.len());
            }
            self.at = end;
            if open.is_none() {
                return Ok(false);
            }
            let inner = if trims { after[3..].trim_start_matches(is_space) } else { &after[2..] };
            if !inner.starts_with("/*") {
                self.push(Kind::Open, self.source.len() - inner.len());
                return Ok(true);
            }
            self.comment(self.source.len() - inner.len())?;
        }
    }

    /// A comment that starts at a position.
    fn comment(&mut self, start: usize) -> Result<(), Problem> {
        let Some(length) = self.source[start..].find("*/") else {
            return Err(Problem::new(start, "the comment is not closed by `*/}}`"));
        };
        self.at = start + length + 2;
        if !self.close() {
            return Err(Problem::new(self.at, "only `}}` may follow a comment"));
        }
        Ok(())
    }

    /// Skips the end of an action, and the white space after it if a dash trims that.
    fn close(&mut self) -> bool {
        let trimmed =
            self.rest().strip_prefix(is_space).and_then(|rest| rest.trim_start_matches(is_space).strip_prefix("-}}"));
        if let Some(rest) = trimmed {
            self.at = self.source.len() - rest.trim_start_matches(is_space).len();
            return true;
        }
        let closes = self.rest().starts_with("}}");
        self.at += if closes { 2 } else { 0 };
        closes
    }

    /// The tokens between the braces.
    fn action(&mut self) -> Result<(), Problem> {
        let mut open = 0_usize;
        loop {
            let start = self.at;
            if self.close() {
                if open > 0 {
                    return Err(Problem::new(start, "a parenthesis is not closed"));
                }
                self.tokens.push(Token { kind: Kind::Close, text: "}}", at: start });
                return Ok(());
            }
            let Some(c) = self.rest().chars().next() else {
                return Err(Problem::new(start, "the action is not closed by `}}`"));
            };
            let (kind, length) = self.inside(c)?;
            match kind {
                Kind::OpenParen => open += 1,
                Kind::CloseParen => {
                    open = open.checked_sub(1).ok_or_else(|| Problem::new(start, "`)` without `(`"))?;
                }
                _ => {}
            }
            self.push(kind, self.at + length);
        }
    }

    /// The kind and length of the token that starts with a character.
    fn inside(&self, c: char) -> Result<(Kind, usize), Problem> {
        let rest = self.rest();
        let word = |skip: usize| rest[skip..].find(|c: char| !is_word(c)).map_or(rest.len(), |length| skip + length);
        Ok(match c {
            c if is_space(c) => (Kind::Space, rest.len() - rest.trim_start_matches(is_space).len()),
            '"' | '\'' | '`' => (Kind::Quoted, self.quoted(c)?),
            ':' if rest.starts_with(":=") => (Kind::Declare, 2),
            ':' => return Err(Problem::new(self.at, "use `:=`")),
            '=' => (Kind::Assign, 1),
            '|' => (Kind::Pipe, 1),
            '(' => (Kind::OpenParen, 1),
            ')' => (Kind::CloseParen, 1),
            '$' => (Kind::Variable, self.ended(word(1))?),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => (Kind::Number, self.number()?),
            '.' if rest[1..].starts_with(is_word) => (Kind::Field, self.ended(word(1))?),
            '.' => (Kind::Dot, self.ended(1)?),
            '+' | '-' | '0'..='9' => (Kind::Number, self.number()?),
            c if is_word(c) => (Kind::Word, self.ended(word(0))?),
            c => (Kind::Sign, c.len_utf8()),
        })
    }

    /// A word must be followed by a character that cannot continue it.
    fn ended(&self, length: usize) -> Result<usize, Problem> {
        let after = &self.rest()[length..];
        let ends = after.starts_with("}}")
            || after.chars().next().is_none_or(|c| is_space(c) || matches!(c, '.' | ',' | '|' | ':' | '=' | '(' | ')'));
        let next = after.chars().next().unwrap_or(' ');
        ends.then_some(length).ok_or_else(|| Problem::new(self.at + length, format!("`{next}` is not allowed here")))
    }

    fn quoted(&self, quote: char) -> Result<usize, Problem> {
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                '\n' if quote != '`' => break,
                _ if escaped => escaped = false,
                '\\' if quote != '`' => escaped = true,
                c if c == quote => return Ok(at + 1),
                _ => {}
            }
        }
        Err(Problem::new(self.at, "the quoted text is not closed"))
    }

    fn number(&self) -> Result<usize, Problem> {
        let bytes = self.rest().as_bytes();
        let mut at = usize::from(matches!(bytes[0], b'+' | b'-'));
        let is_hex = bytes[at..].starts_with(b"0x") || bytes[at..].starts_with(b"0X");
        let signs = if is_hex { b"pP" } else { b"eE" };
        while let Some(byte) = bytes.get(at) {
            let exponent = at > 0 && signs.contains(&bytes[at - 1]);
            match byte {
                b'+' | b'-' if exponent => {}
                b'.' => {}
                byte if byte.is_ascii_alphanumeric() || *byte == b'_' => {}
                _ => break,
            }
            at += 1;
        }
        Ok(at)
    }
}
