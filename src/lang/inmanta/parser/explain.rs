//! Explains a syntax error: the list of causes in their order, and what is open or closed without a partner.
//!
//! Runs only after the parser failed. It reads the words before the failure and the one at it. What other languages
//! write is in `foreign.rs`, a statement that lacks a part in `form.rs`.

use super::Parser;
use crate::diag::Code;
use crate::lang::inmanta::error::Raise;
use crate::lang::inmanta::token::{Keyword, Tok};
use crate::source::Span;

/// What an explanation changes of an error.
pub(super) struct Advice {
    pub(super) code: Code,
    pub(super) place: Span,
    pub(super) message: String,
    pub(super) related: Vec<(Span, String)>,
    pub(super) help: String,
}

impl Parser<'_> {
    /// Adds to a syntax error at the word at hand what is wrong and how to repair it.
    pub(super) fn explain(&self, mut raise: Box<Raise>) -> Box<Raise> {
        let advice = self
            .conflict()
            .or_else(|| self.foreign_character())
            .or_else(|| self.foreign_comment())
            .or_else(|| self.foreign_sign())
            .or_else(|| self.entity_as_type())
            .or_else(|| self.word_behind_end())
            .or_else(|| self.swallowing_string())
            .or_else(|| self.unclosed_string())
            .or_else(|| self.foreign_word())
            .or_else(|| self.foreign_form())
            .or_else(|| self.foreign_sign_of_two())
            .or_else(|| self.neighbouring_statement())
            .or_else(|| self.foreign_statement())
            .or_else(|| self.broken_attribute())
            .or_else(|| self.broken_relation())
            .or_else(|| self.reserved_name(&raise.message))
            .or_else(|| self.condition_of_implement())
            .or_else(|| self.missing_colon())
            .or_else(|| self.incomplete_implement())
            .or_else(|| self.missing_end())
            .or_else(|| self.bracket())
            .or_else(|| self.behind_else())
            .or_else(|| self.form().filter(|_| !matches!(self.tok(), Tok::Bad(_))));
        if let Some(Advice { code, place, message, related, help }) = advice {
            raise.code = Some(code);
            raise.place = Some(place);
            raise.message = message;
            raise.related = related;
            raise.help = Some(help);
        } else if raise.help.is_none() {
            raise.help = Some(format!("remove {}, or complete the statement before it", self.quoted()));
        }
        raise
    }

    /// The first word of the statement at hand.
    pub(super) fn first_word(&self) -> usize {
        (0..=self.at).rev().find(|at| self.is_first(*at)).unwrap_or(self.at)
    }

    pub(super) fn word(&self, at: usize) -> &Tok {
        self.tokens.get(at).map_or(&Tok::End, |token| &token.tok)
    }

    pub(super) fn place(&self, at: usize) -> Span {
        self.tokens[at.min(self.tokens.len() - 1)].span
    }

    pub(super) fn source(&self, at: usize) -> &str {
        self.text.get(self.place(at).range()).unwrap_or_default()
    }

    fn quoted(&self) -> String {
        match self.tok() {
            Tok::End => "the end of the file".into(),
            _ => {
                let first = self.source(self.at).lines().next().unwrap_or_default();
                format!("`{}`", first.chars().take(40).collect::<String>())
            }
        }
    }

    pub(super) fn line(&self, at: usize) -> usize {
        let start = self.place(at).range().start.min(self.text.len());
        self.text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// Whether a word is the first of its line.
    pub(super) fn is_first(&self, at: usize) -> bool {
        let at = at.min(self.tokens.len() - 1);
        let Some(before) = at.checked_sub(1) else { return true };
        let gap = self.text.as_bytes().get(self.place(before).range().end..self.place(at).range().start);
        gap.is_some_and(|gap| gap.contains(&b'\n'))
    }

    /// The first word of the line before the word at hand.
    pub(super) fn line_before(&self) -> Option<usize> {
        let last = self.at.checked_sub(1)?;
        (0..=last).rev().find(|at| self.is_first(*at))
    }

    pub(super) fn opens_block(&self, at: usize) -> bool {
        let keyword = match self.word(at) {
            Tok::Keyword(keyword) => *keyword,
            _ => return false,
        };
        self.is_first(at) && matches!(keyword, Keyword::Entity | Keyword::Implementation | Keyword::If | Keyword::For)
    }

    /// The blocks that are open at the word at hand, by their first words.
    pub(super) fn open_blocks(&self) -> Vec<usize> {
        let mut open = Vec::new();
        let mut brackets = 0usize;
        for at in 0..self.at.min(self.tokens.len()) {
            match self.word(at) {
                Tok::Char(b'(' | b'[' | b'{') => brackets += 1,
                Tok::Char(b')' | b']' | b'}') => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            // A comprehension has its own `for` and `if`.
            if brackets == 0 && self.opens_block(at) {
                open.push(at);
            } else if matches!(self.word(at), Tok::Keyword(Keyword::End)) {
                open.pop();
            }
        }
        open
    }

    fn block_name(&self, at: usize) -> String {
        match self.word(at) {
            Tok::Keyword(Keyword::If | Keyword::For) => format!("`{}`", self.source(at)),
            _ => format!("`{} {}`", self.source(at), self.source(at + 1)),
        }
    }

    pub(super) fn wrong(&self, at: usize, code: Code, message: String, help: String) -> Advice {
        Advice { code, place: self.place(at), message, related: Vec::new(), help }
    }

    /// A text of several lines with a word directly behind it: its own end is missing, and it ends at the beginning of
    /// the next one.
    fn swallowing_string(&self) -> Option<Advice> {
        let at = (0..self.at).rev().take(400).find(|at| {
            let source = self.source(*at);
            let is_long = matches!(self.word(*at), Tok::LongStr(_)) && source.starts_with("\"\"\"");
            let behind = self.text.get(self.place(*at).range().end..).unwrap_or_default();
            let next = behind.trim_start_matches([' ', '\t']).chars().next();
            is_long && source.contains('\n') && next.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })?;
        let range = self.place(at).range();
        Some(Advice {
            code: Code::UnterminatedString,
            place: Span::new(self.place(at).file, range.start, range.start + 3),
            message: "the text that begins here has no closing `\"\"\"`".into(),
            related: vec![(self.span(), "the text after the next `\"\"\"` is read as code".into())],
            help: "add `\"\"\"` where the text ends".into(),
        })
    }

    /// A quote that begins a string without an end on its line.
    fn unclosed_string(&self) -> Option<Advice> {
        let unclosed = |place: Span| Advice {
            code: Code::UnterminatedString,
            place,
            message: "the text that begins here has no closing `\"\"\"`".into(),
            related: Vec::new(),
            help: "add `\"\"\"` where the text ends".into(),
        };
        let quote = self.source(self.at);
        let rest = self.text.get(self.span().range().start..).unwrap_or_default();
        if quote == "\"\"" && rest.starts_with("\"\"\"") && !rest[3..].contains("\"\"\"") {
            let start = self.span().range().start;
            return Some(unclosed(Span::new(self.span().file, start, start + 3)));
        }
        // The third of three quotes, behind an empty text.
        let empty = self.at.checked_sub(1).filter(|at| self.source(*at) == "\"\"");
        if let Some(empty) = empty.filter(|at| quote == "\"" && self.place(*at).end == self.span().start) {
            return Some(unclosed(Span { end: self.span().end, ..self.place(empty) }));
        }
        if !matches!(quote, "\"" | "'") || !matches!(self.tok(), Tok::Bad(_)) {
            return None;
        }
        let message = format!("the string that begins here has no closing {quote} on its line");
        let help = format!("add `{quote}` where the text ends; a text over several lines is in `\"\"\"`");
        Some(self.wrong(self.at, Code::UnterminatedString, message, help))
    }

    /// A block without `end`, or an `end` without a block.
    fn missing_end(&self) -> Option<Advice> {
        let open = self.open_blocks();
        let is_definition = matches!(self.tok(), Tok::Keyword(keyword) if keyword.begins()) && self.is_first(self.at);
        let is_end = matches!(self.tok(), Tok::Keyword(Keyword::End));
        if is_end && open.is_empty() {
            let help = "remove it, or add the first line of its block".into();
            return Some(self.wrong(self.at, Code::UnmatchedBracket, "this `end` closes no block".into(), help));
        }
        if is_end {
            return None;
        }
        let at = open.last().filter(|_| self.innermost_bracket().is_none())?;
        // In an entity `A.b` and `implement` begin what is outside of it.
        let is_entity = matches!(self.word(*at), Tok::Keyword(Keyword::Entity));
        let begin = (0..=self.at).rev().find(|at| self.is_first(*at)).unwrap_or(self.at);
        let is_outside = is_entity && self.indent(begin) <= self.indent(*at) && begin > *at;
        if !is_definition && !is_outside && !matches!(self.tok(), Tok::End) {
            return None;
        }
        // The outermost block with an indented block after it is complete; one at the margin of the next is not.
        let same = open.iter().rev().find(|at| self.indent(**at) >= self.indent(begin));
        let at = if is_definition && !is_entity { same.unwrap_or(at) } else { at };
        let name = self.block_name(*at);
        Some(Advice {
            code: Code::UnclosedBracket,
            place: self.place(*at),
            message: format!("{name} of line {} has no `end` before {}", self.line(*at), self.quoted()),
            related: vec![(self.shown_place(), "found here".into())],
            help: format!("add `end` after the last line of {name}"),
        })
    }

    /// The place of the word at hand; the last character at the end of the file.
    fn shown_place(&self) -> Span {
        match self.tok() {
            Tok::End => {
                let end = self.text.trim_end().len();
                Span::new(self.span().file, end.saturating_sub(1), end)
            }
            _ => self.span(),
        }
    }

    /// The width of the blanks before the first word of a word's line.
    pub(super) fn indent(&self, at: usize) -> usize {
        let start = self.place(at).range().start.min(self.text.len());
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[line..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    }

    fn unclosed(&self, open: usize, wanted: char) -> Advice {
        Advice {
            code: Code::UnclosedBracket,
            place: self.place(open),
            message: format!(
                "this `{}` is not closed: found {} before its `{wanted}`",
                self.source(open),
                self.quoted()
            ),
            related: vec![(self.shown_place(), "found here".into())],
            help: format!("add `{wanted}` before {}", self.quoted()),
        }
    }

    /// A bracket that is closed by the first word of a line that is indented less than its own: the one that it
    /// closes belongs to another.
    fn closed_outside(&self) -> Option<(usize, usize)> {
        let mut open: Vec<usize> = Vec::new();
        let mut found = None;
        for at in 0..self.at.min(self.tokens.len()) {
            match self.word(at) {
                Tok::Char(b'(' | b'[' | b'{') => open.push(at),
                Tok::Char(b')' | b']' | b'}') => {
                    let last = open.pop()?;
                    if self.is_first(at) && self.indent(at) < self.indent(last) {
                        found = Some((last, at));
                    }
                }
                _ => {}
            }
        }
        // The other bracket is still open, at the margin of the closing one.
        found.filter(|(last, at)| {
            let is_other = |other: usize| other < *last && self.source(other) == self.source(*last);
            open.iter().any(|other| is_other(*other) && self.indent(*other) == self.indent(*at))
        })
    }

    /// The bracket that is open at the word at hand.
    pub(super) fn innermost_bracket(&self) -> Option<usize> {
        let mut open = Vec::new();
        for at in 0..self.at.min(self.tokens.len()) {
            match self.word(at) {
                Tok::Char(b'(' | b'[' | b'{') => open.push(at),
                Tok::Char(b')' | b']' | b'}') => drop(open.pop()),
                _ => {}
            }
        }
        open.pop()
    }

    fn bracket(&self) -> Option<Advice> {
        let inner = self.innermost_bracket();
        let close = |at: usize| match self.word(at) {
            Tok::Char(b'(') => ')',
            Tok::Char(b'[') => ']',
            _ => '}',
        };
        let closes = match self.tok() {
            Tok::Char(byte @ (b')' | b']' | b'}')) => Some(char::from(*byte)),
            _ => None,
        };
        if inner.is_none_or(|open| open < self.first_word())
            && let Some((open, found)) = self.closed_outside()
        {
            let wanted = close(open);
            return Some(Advice {
                code: Code::UnclosedBracket,
                place: self.place(open),
                message: format!("this `{}` is not closed on its line", self.source(open)),
                related: vec![(self.place(found), "this closes it, but belongs to a bracket before it".into())],
                help: format!("add `{wanted}` at the end of line {}", self.line(open)),
            });
        }
        let Some(open) = inner else {
            let closes = closes?;
            let message = format!("this `{closes}` closes nothing");
            return Some(self.wrong(
                self.at,
                Code::UnmatchedBracket,
                message,
                "remove it, or add its opening bracket".into(),
            ));
        };
        let wanted = close(open);
        // In `[…]` a comprehension may have its `for` and its `if` on lines of their own.
        let is_block = matches!(self.tok(), Tok::Keyword(Keyword::For | Keyword::If)) && wanted != ']';
        let is_statement = self.is_first(self.at)
            && (is_block
                || matches!(self.tok(), Tok::Keyword(keyword) if keyword.begins() || *keyword == Keyword::End));
        if closes.is_some_and(|closes| closes != wanted) || matches!(self.tok(), Tok::End) || is_statement {
            return Some(self.unclosed(open, wanted));
        }
        // `name = …` or `a::B(…)` on a line of its own begins another statement.
        let begin = (0..=self.at).rev().find(|at| self.is_first(*at)).unwrap_or(self.at);
        let mut chain = begin;
        while matches!(self.word(chain + 1), Tok::Char(b'.')) && matches!(self.word(chain + 2), Tok::Id(_)) {
            chain += 2;
        }
        let assigns = chain > begin && matches!(self.word(chain + 1), Tok::Char(b'=') | Tok::Extend);
        let begins_call = (assigns || matches!(self.word(begin + 1), Tok::Separator | Tok::Char(b'='))) && begin > open;
        let is_outside = self.indent(begin) <= self.indent(open);
        if begins_call && is_outside {
            return Some(self.unclosed(open, wanted));
        }
        let ends_value = |tok: &Tok| {
            matches!(
                tok,
                Tok::Id(_)
                    | Tok::Int(_)
                    | Tok::BigInt(_)
                    | Tok::Float(_)
                    | Tok::Str(_)
                    | Tok::RawStr(_)
                    | Tok::FormatStr(_)
                    | Tok::LongStr(_)
                    | Tok::Char(b')' | b']' | b'}')
                    | Tok::Keyword(Keyword::True | Keyword::False | Keyword::Null)
            )
        };
        let begins_value = ends_value(self.tok()) && closes.is_none() || matches!(self.tok(), Tok::Class(_));
        if !begins_value || !self.at.checked_sub(1).is_some_and(|at| ends_value(self.word(at))) {
            return None;
        }
        let is_statement = self.is_first(self.at)
            && self.indent(self.at) <= self.indent(open)
            && matches!(self.word(self.at + 1), Tok::Char(b'=') | Tok::Separator);
        if is_statement {
            return Some(self.unclosed(open, wanted));
        }
        Some(Advice {
            code: Code::CommaNeeded,
            place: self.place(self.at - 1),
            message: format!("a comma is missing after this, before {}", self.quoted()),
            related: vec![(self.span(), "the next element begins here".into())],
            help: format!("write a comma after `{}`", self.source(self.at - 1)),
        })
    }
}
