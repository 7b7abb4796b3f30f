//! The scope of each byte: the highlight query over the visible part of a document.

use std::ops::Range;

use tree_sitter::{QueryCursor, StreamingIterator};

use super::document::Document;

/// Some bytes under one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Styled {
    pub range: Range<usize>,
    /// Such as `keyword.control.import`; a theme finds the style by its longest known prefix.
    pub scope: &'static str,
}

/// A capture before nesting is resolved.
struct Capture {
    range: Range<usize>,
    scope: &'static str,
}

impl Document {
    /// The scopes in a range of bytes: in order, without overlaps, with gaps for bytes without a scope. Empty for plain
    /// text.
    ///
    /// Its cost depends on the range, not on the file.
    pub fn spans(&self, range: Range<usize>) -> Vec<Styled> {
        let range = range.start.min(self.text().len())..range.end.min(self.text().len());
        if range.is_empty() {
            return Vec::new();
        }
        innermost(self.captures(&range), &range)
    }

    fn captures(&self, range: &Range<usize>) -> Vec<Capture> {
        let Some((tree, grammar)) = self.tree() else { return Vec::new() };
        let query = &grammar.parts().highlights;
        let mut cursor = QueryCursor::new();
        cursor.set_byte_range(range.clone());
        let mut found = cursor.captures(query, tree.root_node(), self.text().as_bytes());
        let mut captures = Vec::new();
        while let Some((found, index)) = found.next() {
            let capture = found.captures()[*index];
            let scope = query.capture_names()[capture.index as usize];
            captures.push(Capture { range: capture.node.byte_range(), scope });
        }
        captures
    }
}

/// Flattens nested captures: the innermost counts, and of two on one node the later pattern. Captures of equal ranges
/// come in this order: outer nodes before inner ones, and patterns as in the query.
fn innermost(mut captures: Vec<Capture>, within: &Range<usize>) -> Vec<Styled> {
    captures.sort_by_key(|capture| (capture.range.start, usize::MAX - capture.range.end));
    let mut flat = Flat { out: Vec::new(), open: Vec::new(), at: within.start };
    for capture in captures {
        let start = capture.range.start.clamp(within.start, within.end);
        let end = capture.range.end.clamp(within.start, within.end);
        if start < end {
            flat.close_until(start);
            flat.emit(start);
            flat.open.push((end, capture.scope));
        }
    }
    flat.close_until(within.end);
    flat.out
}

/// The open captures at a position, and the spans before it.
struct Flat {
    out: Vec<Styled>,
    open: Vec<(usize, &'static str)>,
    at: usize,
}

impl Flat {
    /// Closes captures that end at or before a position.
    fn close_until(&mut self, position: usize) {
        while let Some((end, _)) = self.open.last().copied()
            && end <= position
        {
            self.emit(end);
            self.open.pop();
        }
    }

    /// Adds a span up to a position with the innermost open capture.
    fn emit(&mut self, to: usize) {
        if self.at >= to {
            return;
        }
        if let Some((_, scope)) = self.open.last().copied() {
            match self.out.last_mut() {
                Some(last) if last.range.end == self.at && last.scope == scope => last.range.end = to,
                _ => self.out.push(Styled { range: self.at..to, scope }),
            }
        }
        self.at = to;
    }
}
