//! Ruby's literals of text: strings with interpolation, heredocs, `%w` and its like, patterns.

use super::lexer::{Lexer, Pending};
use super::token::{Fault, Part, Tok};

impl Lexer<'_> {
    /// A text up to its closing sign. With `open`, pairs of both are part of it.
    pub(super) fn until(&mut self, open: Option<char>, close: char, interpolates: bool) -> Result<Vec<Part>, Fault> {
        let endless = Fault::new(self.line, "a text without an end");
        self.parts(open, close, interpolates, endless, |lexer, text| {
            if interpolates {
                return lexer.escape(text);
            }
            match lexer.bump() {
                Some(c) if c == '\\' || c == close || Some(c) == open => text.push(c),
                Some(c) => text.extend(['\\', c]),
                None => {}
            }
        })
    }

    /// The pieces up to the closing sign. `escape` reads what follows a backslash.
    fn parts(
        &mut self,
        open: Option<char>,
        close: char,
        interpolates: bool,
        endless: Fault,
        escape: impl Fn(&mut Self, &mut String),
    ) -> Result<Vec<Part>, Fault> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut nested = 0usize;
        loop {
            let Some(c) = self.bump() else { return Err(endless) };
            match c {
                '\\' => escape(self, &mut text),
                '#' if interpolates && self.peek() == Some('{') => {
                    self.bump();
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(self.interpolation()?);
                }
                c if c == close && nested == 0 => break,
                c => {
                    if c == close {
                        nested -= 1;
                    } else if Some(c) == open {
                        nested += 1;
                    }
                    text.push(c);
                }
            }
        }
        parts.push(Part::Text(text));
        parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
        Ok(parts)
    }

    fn escape(&mut self, out: &mut String) {
        let Some(c) = self.bump() else { return };
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            's' => out.push(' '),
            'e' => out.push('\u{1b}'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            '0' if !self.peek().is_some_and(|c| c.is_digit(8)) => out.push('\0'),
            '\n' => {}
            'u' => {
                let braced = self.peek() == Some('{');
                if braced {
                    self.bump();
                }
                let rest = self.rest();
                let most = if braced { 6 } else { 4 };
                let length = rest.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
                out.extend(u32::from_str_radix(&rest[..length], 16).ok().and_then(char::from_u32));
                self.at += length;
                if braced && self.peek() == Some('}') {
                    self.bump();
                }
            }
            'x' => {
                let length = self.rest().bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
                out.extend(u32::from_str_radix(&self.rest()[..length], 16).ok().and_then(char::from_u32));
                self.at += length;
            }
            c if c.is_digit(8) => {
                let more = self.rest().bytes().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let digits = format!("{c}{}", &self.rest()[..more]);
                out.extend(u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32));
                self.at += more;
            }
            c => out.push(c),
        }
    }

    /// The pieces of a pattern keep their backslashes.
    pub(super) fn pattern(&mut self, open: Option<char>, close: char, line: u32) -> Result<(), Fault> {
        let parts = self.parts(open, close, true, Fault::new(line, "a pattern without an end"), |lexer, text| {
            match lexer.bump() {
                Some('/') => text.push('/'),
                Some(c) => text.extend(['\\', c]),
                None => {}
            }
        })?;
        let length = self.rest().bytes().take_while(|b| b"imxounse".contains(b)).count();
        let flags = self.rest()[..length].into();
        self.at += length;
        self.push(Tok::Regexp(parts, flags));
        Ok(())
    }

    /// `%w(…)`, `%i[…]`, `%q{…}`, `%Q<…>`, `%r|…|` and `%(…)`. False where it is an operator.
    pub(super) fn percent(&mut self, line: u32) -> Result<bool, Fault> {
        let mut chars = self.rest().chars().skip(1);
        let Some(first) = chars.next() else { return Ok(false) };
        let (sort, open, length) = match first {
            'w' | 'W' | 'i' | 'I' | 'q' | 'Q' | 'r' => match chars.next() {
                Some(open) if !open.is_alphanumeric() && !open.is_whitespace() => (first, open, 2 + open.len_utf8()),
                _ => return Ok(false),
            },
            '(' | '{' | '[' | '<' | '|' | '!' => ('Q', first, 2),
            _ => return Ok(false),
        };
        self.at += length;
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            same => same,
        };
        let nests = (open != close).then_some(open);
        if sort == 'r' {
            self.pattern(nests, close, line)?;
            return Ok(true);
        }
        let parts = self.until(nests, close, matches!(sort, 'Q' | 'W' | 'I'))?;
        match sort {
            'w' | 'W' | 'i' | 'I' => self.push(Tok::Words(words(parts), matches!(sort, 'i' | 'I'))),
            _ => self.push(Tok::Str(parts)),
        }
        Ok(true)
    }

    /// The beginning of a heredoc. False where `<<` is an operator.
    pub(super) fn heredoc(&mut self) -> bool {
        let after = &self.rest()[2..];
        let sort = after.chars().next().filter(|c| matches!(c, '~' | '-'));
        let name = if sort.is_some() { &after[1..] } else { after };
        let quote = name.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let bare = if quote.is_some() { &name[1..] } else { name };
        let length = match quote {
            Some(quote) => bare.find(quote).unwrap_or(0),
            None => bare.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(bare.len()),
        };
        let end = &bare[..length];
        let is_name = end.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !is_name || sort.is_none() && quote.is_none() && !end.starts_with(char::is_uppercase) {
            return false;
        }
        if !self.rest().lines().skip(1).any(|line| line.trim() == end) {
            return false;
        }
        let end = end.to_owned();
        self.at += 2 + usize::from(sort.is_some()) + length + if quote.is_some() { 2 } else { 0 };
        self.push(Tok::Str(Vec::new()));
        let token = self.out.len() - 1;
        self.pending.push(Pending { token, end, is_raw: quote == Some('\''), is_squiggly: sort == Some('~') });
        true
    }

    /// Reads the texts of the heredocs that began in the line before.
    pub(super) fn heredocs(&mut self) -> Result<(), Fault> {
        for heredoc in std::mem::take(&mut self.pending) {
            let first = self.line;
            let mut body = String::new();
            loop {
                if self.rest().is_empty() {
                    return Err(Fault::new(first, "a heredoc without an end"));
                }
                let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
                self.at += line.len();
                self.line += 1;
                if line.trim() == heredoc.end {
                    break;
                }
                body.push_str(line);
            }
            if heredoc.is_squiggly {
                body = without_margin(&body);
            }
            let parts = if heredoc.is_raw { vec![Part::Text(body)] } else { self.heredoc_parts(&body, first)? };
            if let Some(token) = self.out.get_mut(heredoc.token) {
                token.kind = Tok::Str(parts);
            }
        }
        Ok(())
    }

    fn heredoc_parts(&self, body: &str, line: u32) -> Result<Vec<Part>, Fault> {
        // A sign that no text has ends it.
        let text = format!("{body}\u{0}");
        Lexer::new(&text, line, self.depth + 1).until(None, '\u{0}', true)
    }
}

/// The words between blanks; an interpolation belongs to the word around it.
fn words(parts: Vec<Part>) -> Vec<Vec<Part>> {
    let mut out: Vec<Vec<Part>> = Vec::new();
    let mut open: Vec<Part> = Vec::new();
    for part in parts {
        let Part::Text(text) = part else {
            open.push(part);
            continue;
        };
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            if !word.is_empty() {
                open.push(Part::Text(word.to_owned()));
            }
            if word.len() < piece.len() && !open.is_empty() {
                out.push(std::mem::take(&mut open));
            }
        }
    }
    if !open.is_empty() {
        out.push(open);
    }
    out
}

/// A text without the indentation that all its lines have.
pub fn without_margin(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let margin = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.split_inclusive('\n')
        .map(|line| if line.trim().is_empty() { line.trim_start_matches([' ', '\t']) } else { &line[margin..] })
        .collect()
}
