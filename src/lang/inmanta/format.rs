//! Source in one layout: the same words and comments, with other blanks and line breaks.
//!
//! Four blanks indent. A statement, a definition, an attribute and an `end` begin a line. Runs of blank lines become one.
//! Inside of a statement the line breaks are the author's: a list whose first item is on a line of its own has one for each
//! item. Formatted text formats to itself, and no word and no comment is added, changed or lost.
//!
//! The language takes a line break between any two words, so only the words are needed here, and which of them begin a line.

use super::parser;
use super::token::{Keyword, Tok, Token};
use super::{Edition, ended};
use crate::diag::Diagnostics;
use crate::source::FileId;

/// The width of one level.
const INDENT: usize = 4;

/// Formats a file; `None` where its syntax is not right, with diagnostics that state why.
pub fn format(file: FileId, text: &str, edition: Edition, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = ended(text);
    match parser::layout(&text, file, edition) {
        Ok((tokens, lines)) => {
            let mut levels = vec![None; tokens.len()];
            lines.iter().for_each(|line| levels[line.token.min(tokens.len() - 1)] = Some(line.level));
            let printer =
                Printer { text: &text, tokens: &tokens, levels, open: Vec::new(), out: String::new(), indent: 0 };
            Some(printer.print())
        }
        Err(raise) => {
            raise.report(diagnostics);
            None
        }
    }
}

/// A statement, or a bracket that is open in it.
struct Open {
    /// 0 for a statement.
    bracket: u8,
    /// The indentation of the line that it begins on.
    indent: usize,
    /// Whether what is in it begins on the next line.
    is_broken: bool,
    /// How many `?` wait for their `:`.
    conditions: usize,
    /// Whether the last `:` was that of a range such as `[0:1]`.
    has_range: bool,
}

struct Printer<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The level of each word that begins a line.
    levels: Vec<Option<usize>>,
    open: Vec<Open>,
    out: String,
    /// Of the line at hand.
    indent: usize,
}

impl Printer<'_> {
    fn print(mut self) -> String {
        let mut written = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            let gap = self.text.get(written..start).unwrap_or_default();
            let (indent, comments) = self.indents(at);
            let rest = self.comments(gap, comments);
            if matches!(token.tok, Tok::End) {
                break;
            }
            let is_broken = self.open.last().is_some_and(|open| open.is_broken);
            let is_part =
                at > 0 && is_broken && (closes(&token.tok) || matches!(self.tokens[at - 1].tok, Tok::Char(b',')));
            if self.levels[at].is_some() || is_part || gap.contains('\n') {
                self.new_line(rest, indent);
            } else if self.is_spaced(at) {
                self.out.push(' ');
            }
            self.out.push_str(&self.text[start..end]);
            self.follow(at);
            written = end;
        }
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    /// The indentation of a word if it begins a line, and of comments before it.
    fn indents(&self, at: usize) -> (usize, usize) {
        let tok = &self.tokens[at].tok;
        if let Some(level) = self.levels[at] {
            let indent = level * INDENT;
            let ends = matches!(tok, Tok::Keyword(Keyword::End | Keyword::Else | Keyword::Elif));
            return (indent, if ends { indent + INDENT } else { indent });
        }
        let around = self.open.last().map_or(0, |open| open.indent);
        (if closes(tok) { around } else { around + INDENT }, around + INDENT)
    }

    /// Writes the comments of a gap between words, and gives what is behind them. A gap has nothing but blanks and comments.
    fn comments<'g>(&mut self, gap: &'g str, indent: usize) -> &'g str {
        let mut rest = gap;
        while let Some(mark) = rest.find(['#', '/']) {
            let (before, from) = rest.split_at(mark);
            let (comment, behind) = from.split_at(from.find('\n').unwrap_or(from.len()));
            if before.contains('\n') || self.out.is_empty() {
                self.new_line(before, indent);
            } else {
                self.out.push_str("  ");
            }
            self.out.push_str(comment.trim_end());
            rest = behind;
        }
        rest
    }

    /// Breaks the line, with a blank line where the author has one; not before the first line.
    fn new_line(&mut self, gap: &str, indent: usize) {
        if !self.out.is_empty() {
            let is_apart = gap.bytes().filter(|byte| *byte == b'\n').count() > 1;
            self.out.push_str(if is_apart { "\n\n" } else { "\n" });
        }
        self.out.extend(::std::iter::repeat_n(' ', indent));
        self.indent = indent;
    }

    /// Keeps count of brackets and conditions after a word.
    fn follow(&mut self, at: usize) {
        if self.levels[at].is_some() {
            self.open.clear();
            self.enter(0, false);
        }
        let is_nullable = self.is_nullable(at);
        match self.tokens[at].tok {
            Tok::Char(bracket @ (b'(' | b'[' | b'{')) => {
                let next = self.tokens.get(at + 1).map_or(0, |next| next.span.start as usize);
                let gap = self.text.get(self.tokens[at].span.end as usize..next);
                self.enter(bracket, gap.is_some_and(|gap| gap.contains('\n')));
            }
            Tok::Char(b')' | b']' | b'}') if self.open.len() > 1 => {
                self.open.pop();
            }
            Tok::Char(b'?') if !is_nullable => {
                self.open.iter_mut().last().into_iter().for_each(|open| open.conditions += 1)
            }
            Tok::Char(b':') => {
                if let Some(open) = self.open.last_mut() {
                    open.has_range = open.conditions == 0 && open.bracket == b'[';
                    open.conditions = open.conditions.saturating_sub(1);
                }
            }
            _ => {}
        }
    }

    fn enter(&mut self, bracket: u8, is_broken: bool) {
        self.open.push(Open { bracket, indent: self.indent, is_broken, conditions: 0, has_range: false });
    }

    /// Whether a `?` belongs to a type: `string? name`.
    fn is_nullable(&self, at: usize) -> bool {
        let behind = self.tokens.get(at + 2).map(|token| &token.tok);
        matches!(self.tokens[at].tok, Tok::Char(b'?'))
            && self.open.len() == 1
            && (matches!(behind, Some(Tok::Char(b'=')) | None) || self.levels.get(at + 2).is_some_and(Option::is_some))
    }

    /// Whether there is a blank between a word and the one before it on the same line.
    fn is_spaced(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let (first, second) = (&self.tokens[before].tok, &self.tokens[at].tok);
        let Some(open) = self.open.last() else { return true };
        match (first, second) {
            (Tok::Separator | Tok::Char(b'.' | b'(' | b'[' | b'{'), _) => false,
            (_, Tok::Separator | Tok::Char(b'.' | b',' | b')' | b']' | b'}')) => false,
            (Tok::Id(_) | Tok::Class(_), Tok::Char(b'(')) => false,
            (Tok::Id(_) | Tok::Class(_) | Tok::Char(b']'), Tok::Char(b'[')) => self.is_multiplicity(at),
            (_, Tok::Char(b':')) => open.conditions > 0,
            (Tok::Char(b':'), _) => !open.has_range,
            (Tok::Char(b'='), _) | (_, Tok::Char(b'=')) => open.bracket == 0,
            (Tok::DoubleStar, _) => {
                let spreads = matches!(self.tokens[before.saturating_sub(1)].tok, Tok::Char(b'(' | b'[' | b','));
                !(spreads && open.bracket != 0)
            }
            (_, Tok::Char(b'?')) => !self.is_nullable(at),
            _ => true,
        }
    }

    /// Whether a `[` opens how many values a relation has: `Host.files [1:]`, in edition 4 also `Host host [1]`.
    fn is_multiplicity(&self, at: usize) -> bool {
        let is_class = |before: usize| at >= before && matches!(self.tokens[at - before].tok, Tok::Class(_));
        is_class(2) || (is_class(3) && matches!(self.tokens[at - 2].tok, Tok::Char(b'.')))
    }
}

fn closes(tok: &Tok) -> bool {
    matches!(tok, Tok::Char(b')' | b']' | b'}'))
}
