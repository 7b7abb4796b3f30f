//! Explains a string, an interpolation or a tag of a template without its end.

use super::super::super::lexer::T;
use super::{Advice, Failure};
use crate::diag::Code;
use crate::source::Span;

impl Failure<'_> {
    /// A tag of a template that another tag begins before its end.
    pub(super) fn unclosed_tag(&self) -> Option<Advice> {
        let here = self.span(self.at);
        let start = self.text.get(..here.start as usize)?.rfind("<%")?;
        let inside = &self.text[start + 2..];
        let end = inside.find("%>").unwrap_or(inside.len());
        let next = inside.find("<%");
        let is_open = next.map_or(end == inside.len(), |next| next < end);
        // A tag that was closed before the failure is another's fault.
        if !is_open || start + 2 + end < here.start as usize {
            return None;
        }
        let line = inside.lines().next().unwrap_or_default();
        let place = Span { start: start as u32, end: (start + 2 + line.trim_end().len()) as u32, ..here };
        let advice = Advice::new(Code::InvalidTemplate, place, "the tag that begins here is not closed");
        Some(advice.help("close it with `%>` before the text continues"))
    }

    /// A string over several lines with a word directly behind it: its own closing quote is missing, and it ends at
    /// the opening quote of the next string.
    pub(super) fn swallowing_string(&self) -> Option<Advice> {
        let mut begun = Vec::new();
        let start = (0..self.at.min(self.tokens.len())).find_map(|index| {
            let start = match self.kind(index) {
                T::Pre(_) => {
                    begun.push(index);
                    return None;
                }
                T::Post(_) => begun.pop()?,
                T::Str(_) => index,
                _ => return None,
            };
            self.swallows(start, index).then_some(start)
        })?;
        let quote = self.source(start).chars().next()?;
        let first_line = self.rest(start).lines().next().map_or(1, str::len);
        let mut place = self.span(start);
        place.end = place.start + first_line as u32;
        let label = format!("this string has no closing {quote} on its line");
        let advice = Advice::new(Code::UnterminatedString, place, label)
            .related(self.span(self.at), "the text after it is read as code from here")
            .help(format!("add {quote} where the text ends"));
        Some(advice)
    }

    /// Whether a string from one token to another has a line break in it and ends directly before a word.
    fn swallows(&self, start: usize, end: usize) -> bool {
        let is_heredoc = start.checked_sub(1).is_some_and(|before| matches!(self.kind(before), T::Heredoc(_)));
        let range = self.span(start).start as usize..self.span(end).end as usize;
        let source = self.text.get(range).unwrap_or_default();
        if is_heredoc || !source.starts_with(['\'', '"']) || !source.contains('\n') {
            return false;
        }
        let may_follow = matches!(
            self.kind(end + 1),
            T::Sign("," | ";" | ":" | "." | "?" | "=>" | "|")
                | T::CloseBrace
                | T::CloseBrack
                | T::CloseParen
                | T::OpenBrack
                | T::EppEnd
                | T::End
                | T::Mid(_)
                | T::Post(_)
        );
        match self.kind(end + 1) {
            T::Bad(_) => source.contains("=>"),
            _ => self.span(end).end == self.span(end + 1).start && !may_follow,
        }
    }

    /// The text of the file from a token on.
    pub(super) fn rest(&self, index: usize) -> &str {
        self.text.get(self.span(index).start as usize..).unwrap_or_default()
    }

    /// The beginning of a string whose interpolation is open at the failure.
    pub(super) fn open_interpolation(&self) -> Option<usize> {
        let mut open = Vec::new();
        for index in 0..self.at.min(self.tokens.len()) {
            match self.kind(index) {
                T::Pre(_) => open.push(index),
                T::Post(_) => drop(open.pop()),
                _ => {}
            }
        }
        open.pop()
    }
}
