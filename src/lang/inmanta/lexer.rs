//! From text to words. The rules are tried in a fixed order and the first that matches wins, as in the reference.

use std::sync::Arc;

use num_bigint::BigInt;

use super::Edition;
use super::error::{Class, Raise};
use super::escape;
use super::names::Names;
use super::pattern::Pattern;
use super::token::{Compare, Keyword, Tok, Token};
use crate::diag::Code;
use crate::source::{FileId, Span};

/// The words of a file, ended by one [`Tok::End`] or by one [`Tok::Bad`].
pub fn lex(text: &str, file: FileId, edition: Edition, names: &mut Names) -> Vec<Token> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, file, edition, names, tokens: Vec::new() };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    file: FileId,
    edition: Edition,
    names: &'a mut Names,
    tokens: Vec<Token>,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl Lexer<'_> {
    fn run(&mut self) {
        let is_old = self.edition == Edition::V4;
        loop {
            while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            let Some(&byte) = self.bytes.get(self.at) else {
                // The reference reads one more line break, and reports the end after it.
                let end = self.bytes.len();
                self.push(Tok::End, end, end);
                return;
            };
            let start = self.at;
            if byte == b'#' || (is_old && self.text[start..].starts_with("//")) {
                self.at = self.line_end(start);
                continue;
            }
            let tok = if is_old { self.old_word(byte) } else { self.word(byte) };
            let ends = matches!(tok, Tok::Bad(_));
            let end = self.at;
            self.push(tok, start, end);
            if ends {
                return;
            }
        }
    }

    fn push(&mut self, tok: Tok, start: usize, end: usize) {
        self.tokens.push(Token { tok, span: Span::new(self.file, start, end) });
    }

    fn line_end(&self, from: usize) -> usize {
        self.bytes[from..].iter().position(|byte| *byte == b'\n').map_or(self.bytes.len(), |at| from + at)
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn word(&mut self, byte: u8) -> Tok {
        if byte == b'm'
            && let Some((slash, end)) = self.regex()
        {
            return self.take_regex(slash, end);
        }
        if (byte == b'f' || byte == b'r')
            && matches!(self.peek(1), b'"' | b'\'')
            && let Some(end) = self.string_end(self.at + 1, false)
        {
            let (text, start) = (self.text, self.at);
            let inner = &text[start + 2..end - 1];
            self.at = end;
            if byte == b'r' {
                return Tok::RawStr(inner.into());
            }
            return self.decoded(inner, start, Tok::FormatStr);
        }
        if let Some(name) = self.name(byte) {
            return name;
        }
        if let Some(mark) = self.mark(byte) {
            return mark;
        }
        if byte == b'"'
            && let Some(end) = self.long_string_end()
        {
            let (text, start) = (self.text, self.at);
            self.at = end;
            return self.decoded(&text[start + 3..end - 3], start, Tok::LongStr);
        }
        if let Some(number) = self.number() {
            return number;
        }
        if matches!(byte, b'"' | b'\'')
            && let Some(end) = self.string_end(self.at, false)
        {
            let (text, start) = (self.text, self.at);
            self.at = end;
            return self.decoded(&text[start + 1..end - 1], start, Tok::Str);
        }
        let single = match byte {
            b'+' => Tok::Plus,
            b'-' => Tok::Minus,
            b'/' => Tok::Slash,
            b'*' if self.peek(1) == b'*' => {
                self.at += 1;
                Tok::DoubleStar
            }
            b':' | b'[' | b']' | b'(' | b')' | b'=' | b',' | b'.' | b'{' | b'}' | b'?' | b'*' | b'%' => Tok::Char(byte),
            _ => return self.illegal(),
        };
        self.at += 1;
        single
    }

    /// The words of edition 4: no arithmetic, no raw or format strings, patterns between slashes anywhere.
    fn old_word(&mut self, byte: u8) -> Tok {
        if let Some(name) = self.name(byte) {
            return name;
        }
        if let Some(mark) = self.mark(byte) {
            return mark;
        }
        if self.text[self.at..].starts_with("\"\"\"")
            && let Some(inner) = self.text[self.at + 3..].find("\"\"\"")
        {
            let start = self.at + 3;
            let line = self.line_end(start + inner);
            let last = self.text[start + inner..line].rfind("\"\"\"").unwrap_or(0);
            let end = start + inner + last;
            let text = self.text[start..end].to_string();
            self.at = end + 3;
            return Tok::LongStr(text.into());
        }
        if let Some(number) = self.number() {
            return number;
        }
        if matches!(byte, b'"' | b'\'')
            && let Some(end) = self.string_end(self.at, true)
        {
            let (text, start) = (self.text, self.at);
            self.at = end;
            return self.decoded(&text[start + 1..end - 1], start, Tok::Str);
        }
        if byte == b'/'
            && let Some(end) = self.pattern_end(self.at, true)
        {
            let slash = self.at;
            return self.take_regex(slash, end);
        }
        match byte {
            b':' | b'[' | b']' | b'(' | b')' | b'=' | b',' | b'.' | b'{' | b'}' | b'?' | b'*' => {
                self.at += 1;
                Tok::Char(byte)
            }
            _ => self.illegal(),
        }
    }

    fn illegal(&mut self) -> Tok {
        let start = self.at;
        let character = self.text[start..].chars().next().unwrap_or(' ');
        self.at += character.len_utf8();
        let place = Span::new(self.file, start, self.at);
        Tok::Bad(Raise::placed(Class::Parser, place, format!("Syntax error: Illegal character '{character}'")))
    }

    fn name(&mut self, byte: u8) -> Option<Tok> {
        if !(byte.is_ascii_alphabetic() || byte == b'_') {
            return None;
        }
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| is_name(*byte)) {
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        Some(match Keyword::find(name) {
            Some(Keyword::Elif) if self.edition == Edition::V4 => Tok::Id(self.names.sym(name)),
            Some(keyword) => Tok::Keyword(keyword),
            None if byte.is_ascii_uppercase() => Tok::Class(self.names.sym(name)),
            None => Tok::Id(self.names.sym(name)),
        })
    }

    /// `::`, relations, comparisons and `+=`, in this order.
    fn mark(&mut self, byte: u8) -> Option<Tok> {
        let (tok, len) = match (byte, self.peek(1)) {
            (b':', b':') => (Tok::Separator, 2),
            (b'-', b'-' | b'>') | (b'<', b'-') => (Tok::Relation, 2),
            (b'!', b'=') => (Tok::Compare(Compare::NotEqual), 2),
            (b'=', b'=') => (Tok::Compare(Compare::Equal), 2),
            (b'>', b'=') => (Tok::Compare(Compare::GreaterOrEqual), 2),
            (b'<', b'=') => (Tok::Compare(Compare::LessOrEqual), 2),
            (b'<', _) => (Tok::Compare(Compare::Less), 1),
            (b'>', _) => (Tok::Compare(Compare::Greater), 1),
            (b'+', b'=') => (Tok::Extend, 2),
            _ => return None,
        };
        self.at += len;
        Some(tok)
    }

    fn digits(&self, from: usize) -> usize {
        self.bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// A float, else an integer; the minus belongs to the number.
    fn number(&mut self) -> Option<Tok> {
        let start = self.at;
        let body = start + usize::from(self.bytes[start] == b'-');
        let whole = self.digits(body);
        let point = body + whole;
        let fraction = if self.bytes.get(point) == Some(&b'.') { self.digits(point + 1) } else { 0 };
        if fraction > 0 {
            self.at = point + 1 + fraction;
            return Some(Tok::Float(self.text[start..self.at].parse().unwrap_or(f64::INFINITY)));
        }
        if whole == 0 {
            return None;
        }
        self.at = point;
        let text = &self.text[start..point];
        Some(match text.parse::<i64>() {
            Ok(number) => Tok::Int(number),
            // Python refuses to read more digits than this.
            Err(_) if whole > 4300 => Tok::Bad(Raise::placed(
                Class::Parser,
                Span::new(self.file, start, point),
                "Syntax error: a number of more than 4300 digits",
            )),
            Err(_) => Tok::BigInt(Arc::new(text.parse::<BigInt>().unwrap_or_default())),
        })
    }

    /// The end of a string that starts with a quote at `from`.
    fn string_end(&self, from: usize, with_breaks: bool) -> Option<usize> {
        let quote = self.bytes[from];
        let mut at = from + 1;
        loop {
            match *self.bytes.get(at)? {
                b'\\' => {
                    if *self.bytes.get(at + 1)? == b'\n' && !with_breaks {
                        return None;
                    }
                    at += 1 + self.text[at + 1..].chars().next()?.len_utf8();
                }
                b'\n' if !with_breaks => return None,
                byte if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    /// The end of a string in three to five quotes: the opening takes as many as it can.
    fn long_string_end(&self) -> Option<usize> {
        let run = |from: usize| self.bytes[from..].iter().take(5).take_while(|byte| **byte == b'"').count();
        let opening = run(self.at);
        for open in (3..=opening).rev() {
            if let Some(found) = self.text[self.at + open..].find("\"\"\"") {
                let close = self.at + open + found;
                return Some(close + run(close));
            }
        }
        None
    }

    /// The end of a pattern that starts with a slash.
    fn pattern_end(&self, slash: usize, with_breaks: bool) -> Option<usize> {
        let mut at = slash + 1;
        loop {
            match *self.bytes.get(at)? {
                b'/' => return (at > slash + 1).then_some(at + 1),
                b'\n' if !with_breaks => return None,
                b'\\' => {
                    if *self.bytes.get(at + 1)? == b'\n' {
                        return None;
                    }
                    at += 1 + self.text[at + 1..].chars().next()?.len_utf8();
                }
                _ => at += 1,
            }
        }
    }

    /// `matching`, blanks and a pattern: where the slash is and where the pattern ends.
    fn regex(&self) -> Option<(usize, usize)> {
        let rest = self.text[self.at..].strip_prefix("matching")?;
        let slash = self.text.len() - rest.trim_start().len();
        if slash == self.at + "matching".len() || self.bytes.get(slash) != Some(&b'/') {
            return None;
        }
        Some((slash, self.pattern_end(slash, false)?))
    }

    fn take_regex(&mut self, slash: usize, end: usize) -> Tok {
        let written = &self.text[slash..end];
        let pattern = &written[1..written.len() - 1];
        self.at = end;
        match Pattern::new(pattern) {
            Ok(_) => Tok::Regex(pattern.into()),
            Err(reason) => {
                let place = Span::new(self.file, slash, end);
                let message = format!("Syntax error: Regex error in {written}: '{reason}'");
                let mut raise = Raise::placed(Class::Parser, place, message).with_code(Code::InvalidRegexp);
                for (open, close) in [('[', ']'), ('(', ')')] {
                    let count = |sign: char| {
                        let escaped = pattern.matches(&format!("\\{sign}")).count();
                        pattern.matches(sign).count() - escaped
                    };
                    if count(open) > count(close) {
                        raise = raise.with_help(format!(
                            "a `{open}` has no `{close}`: add it, or write `\\{open}` for the sign"
                        ));
                    }
                }
                if raise.help.is_none() {
                    raise = raise.with_help("correct the regular expression between the slashes");
                }
                Tok::Bad(raise)
            }
        }
    }

    fn decoded(&mut self, inner: &str, start: usize, tok: fn(Arc<str>) -> Tok) -> Tok {
        match escape::decode(inner) {
            Ok(text) => tok(Arc::from(&*text)),
            Err(reason) => {
                let place = Span::new(self.file, start, self.at);
                Tok::Bad(Raise::placed(Class::Parser, place, format!("Syntax error: {reason}")))
            }
        }
    }
}
