//! The excerpt of a file for a diagnostic: the lines of its spans, cut if they are too long to read.
//!
//! Drawing costs time and memory for all of its text, so a file of a million lines is never drawn whole.

use std::borrow::Cow;
use std::ops::Range;

use crate::source::{SourceFile, Span};

/// Spans further apart than this get separate excerpts.
const MOST_LINES: u32 = 500;

/// Longer lines are cut around the span.
const LONGEST_LINE: usize = 2_000;

/// How many bytes of a cut line are shown before the span, at most of it, and after it.
const AROUND: usize = 60;
const WITHIN: usize = 400;

/// Marks a cut.
const CUT: char = '…';

/// Text to draw, and the mapping from spans of the file into it.
pub(super) struct Piece<'s> {
    pub text: Cow<'s, str>,
    pub first_line: usize,
    /// The shown bytes of the file.
    shown: Range<usize>,
    /// The position of the shown bytes in the text.
    lead: usize,
}

impl<'s> Piece<'s> {
    /// Whole lines that contain all spans; `None` if they are too many.
    pub fn lines(file: &'s SourceFile, spans: impl Iterator<Item = Span>) -> Option<Self> {
        let (start, end) = spans.fold((u32::MAX, 0), |(start, end), span| (start.min(span.start), end.max(span.end)));
        // A span that ends with a line break ends on that line.
        let (first, last) = (file.line_at(start.min(end)), file.line_at(end.saturating_sub(1).max(start)));
        if last - first > MOST_LINES {
            return None;
        }
        let shown = file.line_range(first).start..file.line_range(last).end;
        let text = &file.text[shown.clone()];
        let fits = text.split('\n').all(|line| line.len() <= LONGEST_LINE);
        fits.then_some(Self { text: text.into(), first_line: first as usize, shown, lead: 0 })
    }

    /// The span's first line around the span.
    pub fn columns(file: &'s SourceFile, span: Span) -> Self {
        let line_number = file.line_at(span.start);
        let line = file.line_range(line_number);
        let start = (span.start as usize).clamp(line.start, line.end);
        let end = (span.end as usize).clamp(start, line.end).min(start + WITHIN);
        let boundary = |mut at: usize| {
            while !file.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let shown = boundary(start.saturating_sub(AROUND).max(line.start))..boundary((end + AROUND).min(line.end));
        let mut text = String::new();
        text.extend((shown.start > line.start).then_some(CUT));
        let lead = text.len();
        text.push_str(&file.text[shown.clone()]);
        text.extend((shown.end < line.end).then_some(CUT));
        Self { text: text.into(), first_line: line_number as usize, shown, lead }
    }

    /// The span's bytes in this text, clamped to it and to character boundaries.
    pub fn within(&self, span: Span) -> Range<usize> {
        let floor = |at: u32| {
            let mut at = (at as usize).clamp(self.shown.start, self.shown.end) - self.shown.start + self.lead;
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        floor(span.start)..floor(span.end)
    }

    /// The column, from 1, at which a span starts in this text.
    pub fn column(&self, span: Span) -> usize {
        let before = &self.text[..self.within(span).start];
        before.rsplit('\n').next().unwrap_or_default().chars().count() + 1
    }
}
