//! Ruby's text to tokens. What a sign means depends on what is before it: `/` divides a value and begins a pattern
//! elsewhere.

use super::token::{Fault, OPS, Part, Tok, Token, WORDS};
use crate::lang::ruby::Text;

/// Interpolations inside of one another.
const DEPTH: usize = 24;

/// All tokens of a text whose first line has this number.
pub fn tokens(text: &str, line: u32) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer::new(text, line, 0);
    lexer.read(false)?;
    Ok(lexer.out)
}

/// Whether a text ends inside of a comment.
pub fn ends_in_comment(text: &str) -> bool {
    if !text.rsplit('\n').next().is_some_and(|last| last.contains('#')) {
        return false;
    }
    let mut lexer = Lexer::new(text, 1, 0);
    lexer.read(false).is_ok() && lexer.comment_end == text.len()
}

pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) line: u32,
    pub(super) depth: usize,
    pub(super) out: Vec<Token>,
    /// Heredocs whose text begins with the next line: where their token is, their end, and how they are read.
    pub(super) pending: Vec<Pending>,
    spaced: bool,
    /// Where the last comment ended.
    comment_end: usize,
}

pub(super) struct Pending {
    pub token: usize,
    pub end: String,
    pub is_raw: bool,
    /// `<<~`: the common indentation is removed.
    pub is_squiggly: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, line: u32, depth: usize) -> Self {
        Self { text, at: 0, line, depth, out: Vec::new(), pending: Vec::new(), spaced: true, comment_end: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    pub(super) fn fault<V>(&self, what: impl Into<String>) -> Result<V, Fault> {
        Err(Fault::new(self.line, what))
    }

    pub(super) fn push(&mut self, kind: Tok) {
        self.push_at(kind, self.line);
    }

    fn push_at(&mut self, kind: Tok, line: u32) {
        let spaced = std::mem::take(&mut self.spaced);
        self.out.push(Token { kind, line, spaced });
    }

    /// Reads up to the end, or up to the brace that closes an interpolation.
    fn read(&mut self, in_braces: bool) -> Result<(), Fault> {
        let mut braces = 0usize;
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' => {
                    self.at += 1;
                    self.spaced = true;
                }
                '\\' if self.rest().starts_with("\\\n") || self.rest().starts_with("\\\r\n") => {
                    while self.bump() != Some('\n') {}
                    self.spaced = true;
                }
                '#' => self.comment(),
                '\n' => self.newline()?,
                ';' => {
                    self.push(Tok::Newline);
                    self.at += 1;
                    self.spaced = true;
                }
                '}' if in_braces && braces == 0 => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {
                    let before = self.out.len();
                    self.token(c)?;
                    match self.out.get(before).map(|token| &token.kind) {
                        Some(Tok::Op("{")) => braces += 1,
                        Some(Tok::Op("}")) => braces = braces.saturating_sub(1),
                        Some(Tok::Ident(end)) if &**end == "__END__" => {
                            self.out.truncate(before);
                            return Ok(());
                        }
                        _ => {}
                    }
                }
            }
        }
        if in_braces {
            return self.fault("an interpolation without an end");
        }
        if self.pending.is_empty() { Ok(()) } else { self.fault("a heredoc without an end") }
    }

    /// The tokens of `#{…}`, whose beginning is read already.
    pub(super) fn interpolation(&mut self) -> Result<Part, Fault> {
        if self.depth >= DEPTH {
            return self.fault("an interpolation that is nested too deep");
        }
        let mut inner = Lexer::new(self.text, self.line, self.depth + 1);
        inner.at = self.at;
        inner.read(true)?;
        self.at = inner.at;
        self.line = inner.line;
        Ok(Part::Code(inner.out))
    }

    fn comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.at += length;
        self.spaced = true;
        self.comment_end = self.at;
    }

    fn newline(&mut self) -> Result<(), Fault> {
        let line = self.line;
        self.bump();
        self.heredocs()?;
        while self.rest().starts_with("=begin") {
            let end = self.rest().find("\n=end").map_or(self.rest().len(), |end| end + 5);
            self.skip(end);
            let line_end = self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
            self.skip(line_end);
        }
        if !self.continues() {
            self.push_at(Tok::Newline, line);
        }
        self.spaced = true;
        Ok(())
    }

    fn skip(&mut self, length: usize) {
        let end = self.at + length;
        while self.at < end && self.bump().is_some() {}
    }

    /// Whether the next line of code goes on with a method call.
    fn continues(&self) -> bool {
        for line in self.rest().lines() {
            let line = line.trim_start();
            if !line.is_empty() && !line.starts_with('#') {
                return line.starts_with("&.") || line.starts_with('.') && !line.starts_with("..");
            }
        }
        false
    }

    /// Whether the last token ends a value, so that an operator can follow.
    fn after_value(&self) -> bool {
        match self.out.last().map(|token| &token.kind) {
            None | Some(Tok::Newline | Tok::Label(_) | Tok::StrLabel(_) | Tok::Text(_) | Tok::Output) => false,
            Some(Tok::Op(op)) => matches!(*op, ")" | "]" | "}"),
            Some(Tok::Word(word)) => matches!(*word, "end" | "self" | "nil" | "true" | "false"),
            Some(_) => true,
        }
    }

    /// Whether a value can begin here: no value is before it, or a name that it may be an argument of.
    fn may_begin(&self, length: usize) -> bool {
        if !self.after_value() {
            return true;
        }
        let is_name = matches!(self.out.last().map(|token| &token.kind), Some(Tok::Ident(_)));
        is_name && self.spaced && !matches!(self.byte(length), b' ' | b'\n' | b'=' | 0)
    }

    fn after_dot(&self) -> bool {
        matches!(self.out.last().map(|token| &token.kind), Some(Tok::Op("." | "&.") | Tok::Word("def")))
    }

    fn token(&mut self, c: char) -> Result<(), Fault> {
        let line = self.line;
        match c {
            '"' | '`' | '\'' => {
                self.at += 1;
                let parts = self.until(None, c, c != '\'')?;
                if c == '`' {
                    return self.fault("a command in backquotes");
                }
                let is_label = self.byte(0) == b':' && self.byte(1) != b':' && self.label_may_be_here();
                if is_label {
                    self.at += 1;
                }
                self.push_at(if is_label { Tok::StrLabel(parts) } else { Tok::Str(parts) }, line);
            }
            '/' if self.may_begin(1) => {
                self.at += 1;
                self.pattern(None, '/', line)?;
            }
            '%' if self.may_begin(1) && self.percent(line)? => {}
            '<' if self.rest().starts_with("<<") && self.may_begin(2) && self.heredoc() => {}
            ':' if self.symbol(line)? => {}
            '?' if !self.after_value() && self.character() => {}
            '@' | '$' if self.variable(c) => {}
            c if c.is_ascii_digit() => self.number()?,
            c if c.is_alphabetic() || c == '_' => self.word(),
            _ => {
                let Some(op) = OPS.iter().find(|op| self.rest().starts_with(**op)) else {
                    return self.fault(format!("the sign `{c}`"));
                };
                self.at += op.len();
                self.push(Tok::Op(op));
            }
        }
        Ok(())
    }

    /// Whether `"a":` can be the key of an entry here.
    fn label_may_be_here(&self) -> bool {
        match self.out.last().map(|token| &token.kind) {
            Some(Tok::Op(op)) => matches!(*op, "{" | "," | "("),
            Some(Tok::Newline) => true,
            Some(Tok::Ident(_)) => self.spaced,
            _ => false,
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.bump();
        }
        let is_method = matches!(self.byte(0), b'?' | b'!') && (self.byte(1) != b'=' || self.byte(2) == b'=');
        let is_ternary = self.byte(0) == b'?' && matches!(self.byte(1), b'\'' | b'"');
        if is_method && !is_ternary {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let after_dot = self.after_dot();
        let in_choice = matches!(self.out.last().map(|token| &token.kind), Some(Tok::Op("?")));
        if self.byte(0) == b':' && self.byte(1) != b':' && !after_dot && !in_choice {
            self.at += 1;
            return self.push(Tok::Label(text.into()));
        }
        if let Some(word) = WORDS.iter().find(|word| **word == text && !after_dot) {
            return self.push(Tok::Word(word));
        }
        let is_const = text.starts_with(char::is_uppercase) && !text.ends_with(['?', '!']);
        self.push(if is_const { Tok::Const(text.into()) } else { Tok::Ident(text.into()) });
    }

    fn variable(&mut self, c: char) -> bool {
        let signs = if self.rest().starts_with("@@") { 2 } else { 1 };
        let name = self.rest().get(signs..).unwrap_or_default();
        let length = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
        // `$1` is a name and `$~` is one.
        let length =
            if c == '$' && length == 0 { usize::from(name.starts_with(['~', '!', '0', '&', '/'])) } else { length };
        if length == 0 {
            return false;
        }
        let text: Text =
            self.rest()[signs - 1..signs + length].trim_start_matches(if signs == 1 { c } else { ' ' }).into();
        self.at += signs + length;
        self.push(if c == '$' { Tok::Gvar(text) } else { Tok::Ivar(text) });
        true
    }

    fn number(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let radix = match rest.as_bytes().get(..2) {
            Some(b"0x" | b"0X") => 16,
            Some(b"0b" | b"0B") => 2,
            Some(b"0o") => 8,
            _ => 10,
        };
        if radix != 10 {
            let digits = &rest[2..];
            let length = digits.find(|c: char| !(c.is_digit(radix) || c == '_')).unwrap_or(digits.len());
            let Ok(value) = i64::from_str_radix(&digits[..length].replace('_', ""), radix) else {
                return self.fault("a number outside of 64 bits");
            };
            self.at += 2 + length;
            self.push(Tok::Int(value));
            return Ok(());
        }
        let digits = |text: &str| text.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(text.len());
        let mut length = digits(rest);
        let mut is_float = false;
        let begins_digits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        if rest[length..].starts_with('.') && begins_digits(&rest[length + 1..]) {
            is_float = true;
            length += 1 + digits(&rest[length + 1..]);
        }
        if rest[length..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
            if begins_digits(&rest[length + 1 + sign..]) {
                is_float = true;
                length += 1 + sign + digits(&rest[length + 1 + sign..]);
            }
        }
        let text = rest[..length].replace('_', "");
        let is_octal = !is_float && text.len() > 1 && text.starts_with('0');
        let value = if is_octal { i64::from_str_radix(&text, 8) } else { text.parse() };
        let kind = match (is_float, value) {
            (true, _) => Tok::Float(text.parse().unwrap_or_default()),
            (false, Ok(value)) => Tok::Int(value),
            (false, Err(_)) => return self.fault("a number outside of 64 bits"),
        };
        self.at += length;
        self.push(kind);
        Ok(())
    }

    /// `?a`
    fn character(&mut self) -> bool {
        let mut chars = self.rest().chars().skip(1);
        let (Some(c), next) = (chars.next(), chars.next()) else { return false };
        if c.is_whitespace() || next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return false;
        }
        self.at += 1 + c.len_utf8();
        self.push(Tok::Str(vec![Part::Text(c.to_string())]));
        true
    }

    /// `:a`, `:"a b"`, `:[]=`
    fn symbol(&mut self, line: u32) -> Result<bool, Fault> {
        let rest = &self.rest()[1..];
        if rest.starts_with(':') || self.after_value() && !self.spaced {
            return Ok(false);
        }
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            self.at += 2;
            let parts = self.until(None, quote, quote == '"')?;
            self.push_at(Tok::Symbol(parts), line);
            return Ok(true);
        }
        let begin = rest.trim_start_matches(['@', '$']);
        let signs = rest.len() - begin.len();
        let mut length = 0;
        if begin.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            length = begin.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(begin.len());
            let after = &begin[length..];
            if after.starts_with(['?', '!']) && !after[1..].starts_with('=')
                || after.starts_with('=') && !after[1..].starts_with(['=', '~', '>'])
            {
                length += 1;
            }
        } else if let Some(op) = [
            "[]=", "[]", "<=>", "===", "==", "=~", "!=", "<<", ">>", "<=", ">=", "**", "+", "-", "*", "/", "%", "<",
            ">", "!", "&", "|",
        ]
        .iter()
        .find(|op| begin.starts_with(**op))
        {
            length = op.len();
        }
        if length == 0 {
            return Ok(false);
        }
        let name = rest[..signs + length].to_owned();
        self.at += 1 + signs + length;
        self.push(Tok::Symbol(vec![Part::Text(name)]));
        Ok(true)
    }
}
