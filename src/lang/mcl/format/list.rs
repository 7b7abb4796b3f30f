//! Formats lists in brackets: on one line, or one line per part, as the author chose.

use super::Printer;
use crate::source::Span;

impl Printer<'_> {
    /// Writes `items` between the brackets at `open` and `close` in the source.
    ///
    /// `start` returns where an item starts, `print` writes it and returns where it ends.
    pub(super) fn list<I>(
        &mut self,
        open: u32,
        close: u32,
        items: &[I],
        start: impl Fn(&Self, &I) -> u32,
        print: impl Fn(&mut Self, &I) -> u32,
    ) {
        self.bracket(open);
        let in_lines = match items.first() {
            Some(first) => self.breaks_between(open, start(self, first)),
            None => self.has_comment_before(close),
        };
        if in_lines {
            self.indent += 1;
            for item in items {
                let from = start(self, item);
                self.line(from);
                self.at = print(self, item);
                self.word(",");
            }
            self.close(close);
        } else {
            for (i, item) in items.iter().enumerate() {
                self.word(if i > 0 { ", " } else { "" });
                self.at = print(self, item);
            }
            self.bracket(close);
        }
    }

    /// Writes the bracket at this position.
    pub(super) fn bracket(&mut self, at: u32) {
        self.out.push_str(&self.text[at as usize..at as usize + 1]);
        self.at = at + 1;
    }

    /// Ends indented lines with the bracket at this position, on its own line.
    pub(super) fn close(&mut self, close: u32) {
        self.comments_before(close);
        self.indent -= 1;
        self.new_line(close);
        self.bracket(close);
    }

    /// A body between braces, which `print` writes line by line; `{}` if it is empty.
    pub(super) fn body(&mut self, span: Span, is_empty: bool, print: impl FnOnce(&mut Self)) {
        let close = span.end - 1;
        self.bracket(span.start);
        if is_empty && !self.has_comment_before(close) {
            return self.bracket(close);
        }
        self.indent += 1;
        print(self);
        self.close(close);
    }
}
