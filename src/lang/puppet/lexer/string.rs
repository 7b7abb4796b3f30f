//! Quoted strings with their escapes and interpolations.

use super::{Key, Lexed, Lexer, MAX_NESTING, T, followed};
use crate::lang::puppet::issue::{Issue, IssueName};

/// The escapes of a text, and whether a dollar interpolates.
#[derive(Clone, Copy)]
pub(super) struct Escapes {
    /// Letters after a backslash that mean something.
    pub letters: &'static str,
    /// Of a heredoc: some of the letters of `letters` only.
    pub chosen: Option<u16>,
    pub interpolates: bool,
    pub warns: bool,
}

pub(super) const DOUBLE: Escapes = Escapes { letters: "\\\"'$nrtsu\n", chosen: None, interpolates: true, warns: true };

impl Lexer<'_> {
    pub(super) fn single_quoted(&mut self) -> Lexed {
        let start = self.at;
        let mut text = String::new();
        let mut rest = self.text[start + 1..].char_indices();
        while let Some((i, c)) = rest.next() {
            match c {
                '\'' => {
                    self.take(T::Str(text.into()), i + 2);
                    return Ok(());
                }
                '\\' => match rest.next() {
                    Some((_, c @ ('\\' | '\''))) => text.push(c),
                    Some((_, c)) => text.extend(['\\', c]),
                    None => break,
                },
                c => text.push(c),
            }
        }
        self.unclosed(start, "'")
    }

    fn unclosed(&self, start: usize, quote: &str) -> Lexed {
        let after = followed(self.text.get(start + 1..).unwrap_or_default());
        self.fail(
            start + 1,
            IssueName::UnclosedQuote,
            format!("Unclosed quote after '{quote}' followed by '{}'", after.replace("\\n", "\n")),
        )
    }

    pub(super) fn double_quoted(&mut self) -> Lexed {
        let start = self.at;
        self.at += 1;
        self.interpolated(start, Some('"'), DOUBLE)
    }

    /// Text up to a quote, or to the end of a heredoc, with what it interpolates.
    pub(super) fn interpolated(&mut self, start: usize, quote: Option<char>, escapes: Escapes) -> Lexed {
        let mut is_first = true;
        loop {
            let piece_start = if is_first { start } else { self.at };
            let (text, ended) = self.piece(quote, escapes);
            let closes = usize::from(quote.is_some());
            if ended && self.at >= self.text.len() && quote.is_some() {
                return self.unclosed(start, "\"");
            }
            if ended {
                self.at += closes;
                let kind = if is_first { T::Str(text.into()) } else { T::Post(text.into()) };
                self.push(kind, piece_start, self.at);
                return Ok(());
            }
            let kind = if is_first { T::Pre(text.into()) } else { T::Mid(text.into()) };
            self.push(kind, piece_start, self.at);
            is_first = false;
            if self.byte(1) == b'{' {
                self.interpolate()?;
            } else {
                self.variable();
            }
        }
    }

    fn interpolate(&mut self) -> Lexed {
        let start = self.at;
        if self.nesting >= MAX_NESTING {
            let issue =
                Issue::parse(self.span(start, start + 1), IssueName::Unnamed, "interpolations are nested too deep");
            return Err(Box::new(issue.help("give inner parts names with variables")));
        }
        self.at += 2;
        let first = self.out.len();
        self.opens_at = first;
        self.nesting += 1;
        let epp = std::mem::replace(&mut self.epp, false);
        let run = self.run(Some(start + 2));
        self.epp = epp;
        self.nesting -= 1;
        run?;
        self.name_to_variable(first);
        Ok(())
    }

    /// A name, keyword or number at the front of an interpolation is a variable, unless it is called.
    fn name_to_variable(&mut self, first: usize) {
        let accesses = match self.out.get(first + 1).map(|t| &t.kind) {
            None => true,
            Some(T::OpenBrack | T::ListStart | T::Sign(".")) => true,
            Some(_) => false,
        };
        let is_sole = self.out.len() == first + 1;
        let Some(token) = self.out.get_mut(first) else { return };
        let name = match &token.kind {
            T::Name(name) | T::Word(name) if accesses => name.clone(),
            T::Number(text) if accesses || is_sole => text.clone(),
            T::Key(Key::True | Key::False | Key::Undef | Key::Default) => return,
            T::Key(key) if accesses => key.as_str().into(),
            _ => return,
        };
        token.kind = T::Var(name);
    }

    /// One piece of text; whether it ended at the quote (or the end) and not at an interpolation.
    fn piece(&mut self, quote: Option<char>, escapes: Escapes) -> (String, bool) {
        let mut text = String::new();
        while let Some(c) = self.rest().chars().next() {
            match c {
                c if Some(c) == quote => return (text, true),
                '$' if escapes.interpolates && (self.byte(1) == b'{' || self.variable_length(self.at + 1) > 0) => {
                    return (text, false);
                }
                '\\' if !escapes.letters.is_empty() => self.escape(&mut text, escapes),
                c => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        (text, true)
    }

    fn escape(&mut self, text: &mut String, escapes: Escapes) {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.rest().chars().next() else {
            text.push('\\');
            return;
        };
        self.at += c.len_utf8();
        let means = match escapes.chosen {
            None => escapes.letters.contains(c),
            Some(bits) => escapes.letters.find(c).is_some_and(|i| bits & (1 << i) != 0),
        };
        if !means && c == '$' {
            // The backslash stays, and the dollar interpolates.
            self.at -= 1;
            text.push('\\');
            return;
        }
        if !means {
            text.extend(['\\', c]);
            if escapes.warns {
                self.warnings.push((self.span(start, self.at), format!("Unrecognized escape sequence '\\{c}'")));
            }
            return;
        }
        match c {
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            's' => text.push(' '),
            '\n' => {}
            'u' => match self.unicode() {
                Some(c) => text.push(c),
                None => {
                    text.push_str("\\u");
                    let message =
                        "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff";
                    self.warnings.push((self.span(start, self.at), message.into()));
                }
            },
            c => text.push(c),
        }
    }

    fn unicode(&mut self) -> Option<char> {
        let rest = self.rest();
        let (digits, length) = match rest.strip_prefix('{') {
            Some(rest) => {
                let end = rest.find('}')?;
                (&rest[..end], end + 2)
            }
            None => (rest.get(..4)?, 4),
        };
        let fits = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let c = fits.then(|| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32))??;
        self.at += length;
        Some(c)
    }
}
