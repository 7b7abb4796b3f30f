//! Explains a syntax error: what is missing or foreign, where that began, and what to write instead.
//!
//! Runs only after the parser failed. It reads the tokens before the failure and the one at it.

mod accident;
mod bracket;
mod foreign;
mod habit;
mod neighbour;
mod sign;
mod string;

use self::bracket::Open;
use super::super::issue::Advice;
use super::super::lexer::{T, Token};
use crate::diag::Code;
use crate::source::{FileId, Span};

/// The tokens up to a syntax error.
pub(super) struct Failure<'t> {
    pub file: FileId,
    pub text: &'t str,
    pub tokens: &'t [Token],
    /// The index of the token that does not fit.
    pub at: usize,
    /// The token that the parser needs there, as written; `None` for an expression.
    pub expected: Option<&'static str>,
    pub lines: Lines,
}

/// The lines of a text: where each begins, and where the blanks at its beginning end.
pub(super) struct Lines(Vec<(usize, usize)>);

impl Lines {
    pub fn new(text: &str) -> Self {
        let begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let with_blanks = |begin: usize| {
            let blanks = text.as_bytes()[begin..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            (begin, begin + blanks)
        };
        Self(begins.map(with_blanks).collect())
    }

    /// The number of the line that has a place, from one.
    fn number(&self, place: usize) -> usize {
        self.0.partition_point(|(begin, _)| *begin <= place)
    }
}

impl Failure<'_> {
    /// Explains the failure and says how to repair it.
    pub fn explain(&self) -> Advice {
        let (open, suspect) = self.open_brackets();
        self.conflict()
            .or_else(|| self.swallowing_string())
            .or_else(|| self.foreign_character())
            .or_else(|| self.accident(&open))
            .or_else(|| self.swallowing_comment())
            .or_else(|| self.unclosed_tag())
            .or_else(|| self.foreign_word())
            .or_else(|| self.wrong_definition_word())
            .or_else(|| self.unclosed_parameters())
            .or_else(|| self.unclosed_condition(&open))
            .or_else(|| self.unclosed_collector())
            .or_else(|| self.missing_condition())
            .or_else(|| self.habit(open.last()))
            .or_else(|| self.yaml())
            .or_else(|| self.missing_head(open.last()))
            .or_else(|| self.wrong_head())
            .or_else(|| self.slip_of_condition())
            .or_else(|| self.neighbouring_form(open.last()))
            .or_else(|| self.foreign_construct(open.last()))
            .or_else(|| self.wrong_sign(open.last()))
            .or_else(|| self.bracket(&open, suspect))
            .or_else(|| self.missing_comma(open.last()))
            .or_else(|| self.missing_at_line_end())
            .unwrap_or_else(|| self.unexpected(open.last()))
    }

    /// A comment of a template that ends at the end of another tag.
    fn swallowing_comment(&self) -> Option<Advice> {
        if *self.kind(0) != T::EppStart {
            return None;
        }
        let before = self.text.get(..self.span(self.at).start as usize)?;
        let starts = before.match_indices("<%#").map(|(at, _)| at);
        let start = starts.into_iter().find(|at| {
            let inside = &self.text[at + 3..];
            inside.find("<%").is_some_and(|next| inside.find("%>").is_none_or(|end| next < end))
        })?;
        let line = self.text[start..].lines().next().unwrap_or_default();
        let place = Span { file: self.file, start: start as u32, end: (start + line.len()) as u32 };
        let label = "this comment is not closed: it ends with the next tag".to_string();
        Some(Advice::new(Code::InvalidTemplate, place, label).help("close it with `%>`"))
    }

    /// `clas a {`: the word of a definition has a slip, or is that of another language.
    fn wrong_definition_word(&self) -> Option<Advice> {
        let mut depth = 0_usize;
        for index in 0..=self.at.min(self.tokens.len().saturating_sub(1)) {
            match self.kind(index) {
                T::OpenBrace | T::SelectBrace | T::OpenBrack | T::ListStart | T::OpenParen | T::LineParen => depth += 1,
                T::CloseBrace | T::CloseBrack | T::CloseParen => depth = depth.saturating_sub(1),
                T::Name(word) if depth == 0 && self.indent(index) == (0, true) => {
                    let is_node = matches!(self.kind(index + 1), T::Str(_) | T::Regex(_) | T::Key(_))
                        && crate::diag::nearest(word, ["node"]).is_some();
                    let is_head = (is_node || matches!(self.kind(index + 1), T::Name(_) | T::Ref(_)))
                        && matches!(
                            self.kind(index + 2),
                            T::OpenBrace | T::OpenParen | T::LineParen | T::Key(_) | T::Sign("=")
                        )
                        && self.line(index) == self.line(index + 1);
                    if is_head && let Some(keyword) = crate::lang::puppet::words::definition_word(word) {
                        let label = format!("`{word}` is not a word of Puppet");
                        let advice = self.advice(index, Code::ForeignWord, label, format!("write `{keyword}`"));
                        return Some(advice);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Finds the string that lacks its quote, if it is not the one that the lexer reports.
    pub fn unclosed_quote(&self) -> Option<Advice> {
        let half = || self.half_quoted(self.at.checked_sub(1)?);
        self.conflict().or_else(|| self.swallowing_string()).or_else(half).or_else(|| self.unclosed_interpolation())
    }

    /// Explains a block that belongs to no resource or statement.
    pub fn explain_block(&self) -> Option<Advice> {
        let (open, _) = self.open_brackets();
        self.conflict()
            .or_else(|| self.swallowing_string())
            .or_else(|| self.foreign_word())
            .or_else(|| self.wrong_sign(open.last()))
            .or_else(|| self.missing_bars())
            .or_else(|| self.title_as_argument())
    }

    fn kind(&self, index: usize) -> &T {
        self.tokens.get(index).map_or(&T::End, |token| &token.kind)
    }

    fn before(&self, distance: usize) -> Option<&T> {
        self.at.checked_sub(distance).map(|index| self.kind(index))
    }

    fn span(&self, index: usize) -> Span {
        let index = index.min(self.tokens.len().saturating_sub(1));
        let (start, end) = self.tokens.get(index).map_or((0, 0), |token| (token.start, token.end));
        Span { file: self.file, start, end }
    }

    fn line(&self, index: usize) -> usize {
        self.lines.number(self.start(index))
    }

    fn start(&self, index: usize) -> usize {
        self.tokens.get(index).map_or(0, |token| token.start as usize)
    }

    /// The width of the blanks before the first token of a token's line, and whether the token is that first one.
    fn indent(&self, index: usize) -> (usize, bool) {
        let start = self.start(index);
        let line = self.lines.number(start).saturating_sub(1);
        let (begin, blanks) = self.lines.0.get(line).copied().unwrap_or_default();
        (blanks.min(start).saturating_sub(begin), start <= blanks)
    }

    fn source(&self, index: usize) -> &str {
        let Span { start, end, .. } = self.span(index);
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Whether a token follows the one before it without a blank.
    fn joins(&self, index: usize) -> bool {
        index > 0 && self.span(index - 1).end == self.span(index).start
    }

    fn quoted(&self) -> String {
        match self.kind(self.at) {
            T::End => "the end of the file".into(),
            _ => {
                let source = self.source(self.at);
                let source = source.lines().next().unwrap_or_default();
                let short: String = source.chars().take(40).collect();
                format!("`{short}`")
            }
        }
    }

    /// No better explanation: what was found, what belongs here, and the construct around.
    fn unexpected(&self, open: Option<&Open>) -> Advice {
        let found = self.quoted();
        if self.expected == Some("}")
            && let Some(open) = open.filter(|open| open.close == '}' && (self.has_pairs(open) || self.has_title(open)))
        {
            let label = format!("found {found} where the next `NAME => VALUE` or `}}` belongs");
            let help = match self.kind(self.at) {
                T::Var(_) if *self.kind(self.at + 1) == T::Sign("=>") => {
                    format!(
                        "a name of a parameter is not computed here: write `* => {{ {} => VALUE }}`",
                        self.source(self.at)
                    )
                }
                T::Str(name)
                    if *self.kind(self.at + 1) == T::Sign("=>")
                        && name.chars().all(|c| c.is_alphanumeric() || c == '_') =>
                {
                    format!("write `{name}` without quotes")
                }
                T::Var(_) => {
                    format!("write `* => {0}` for the parameters of a hash, or `NAME => {0}`", self.source(self.at))
                }
                _ => format!("remove {found}, or write it as `NAME => VALUE,`"),
            };
            let inside = format!("inside this `{}`", self.source(open.index));
            return self.advice(self.at, Code::UnexpectedToken, label, help).related(self.span(open.index), inside);
        }
        let label = match self.expected {
            Some(expected) => format!("found {found} where `{expected}` belongs"),
            None => format!("found {found} where a value or a statement belongs"),
        };
        let help = match self.expected {
            Some(expected) => format!("write `{expected}` before {found}"),
            None if self.kind(self.at) == &T::End => "complete the last statement".into(),
            None => format!("remove {found}, or add a value before it"),
        };
        let advice = self.advice(self.at, Code::UnexpectedToken, label, help);
        match open.filter(|open| self.span(open.index).end < self.span(self.at).start) {
            Some(open) => advice.related(self.span(open.index), format!("inside this `{}`", self.source(open.index))),
            None => advice,
        }
    }

    /// An advice about a token.
    fn advice(&self, index: usize, code: Code, label: String, help: String) -> Advice {
        Advice::new(code, self.span(index), label).help(help)
    }
}
