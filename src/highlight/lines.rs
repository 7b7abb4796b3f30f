//! Highlighted text as finished lines for a screen, with hostile characters made visible.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::document::Document;
use super::theme::Theme;
use crate::source::{is_hostile, joiners, printable};

/// A run of text that is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    pub text: Cow<'a, str>,
    /// Whether the source contains characters here that could move the cursor, hide text or reorder it. `text` then
    /// names them, as in `\x1b` and `\u{202e}`, and a face marks it with the scope `ui.hostile`.
    pub hostile: bool,
}

/// Splits text into parts that can be shown as they are, including line breaks and tabs, and parts that are replaced by
/// names. Joined emoji appear side by side.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let joiners = joiners(text);
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let hostile = must_be_named(c);
        let end = rest.find(|c| must_be_named(c) != hostile).unwrap_or(rest.len());
        let at = text.len() - rest.len();
        let (run, after) = rest.split_at(end);
        rest = after;
        // An emoji follows a joiner, so it is a run of its own.
        if hostile && joiners.contains(&at) {
            continue;
        }
        let text = if hostile { Cow::Owned(printable(run).to_string()) } else { Cow::Borrowed(run) };
        pieces.push(Piece { text, hostile });
    }
    pieces
}

fn must_be_named(c: char) -> bool {
    is_hostile(c) && c != '\n' && c != '\t'
}

/// Draws some lines of a document, counted from 0, with tabs widened to the next multiple of `tab_width` columns.
///
/// Text without a scope keeps the style of its background.
pub fn lines(document: &Document, lines: Range<usize>, theme: &Theme, tab_width: usize) -> Vec<Line<'static>> {
    let lines = lines.start.min(document.line_count())..lines.end.min(document.line_count());
    if lines.is_empty() {
        return Vec::new();
    }
    let bytes = document.line_range(lines.start).start..document.line_range(lines.end - 1).end;
    let styled = document.spans(bytes);
    lines
        .map(|line| {
            let range = document.line_range(line);
            let first = styled.partition_point(|span| span.range.end <= range.start);
            let mut drawn = Drawn { spans: Vec::new(), column: 0, theme, tab_width: tab_width.max(1) };
            let mut at = range.start;
            for span in styled[first..].iter().take_while(|span| span.range.start < range.end) {
                let start = span.range.start.max(range.start);
                let end = span.range.end.min(range.end);
                drawn.push(&document.text()[at..start], None);
                drawn.push(&document.text()[start..end], Some(span.scope));
                at = end;
            }
            drawn.push(&document.text()[at..range.end], None);
            Line::from(drawn.spans)
        })
        .collect()
}

/// A line while it is being drawn.
struct Drawn<'a> {
    spans: Vec<Span<'static>>,
    column: usize,
    theme: &'a Theme,
    tab_width: usize,
}

impl Drawn<'_> {
    fn push(&mut self, text: &str, scope: Option<&str>) {
        let style = scope.map(|scope| self.theme.style(scope)).unwrap_or_default();
        for piece in pieces(text) {
            let text = self.widened(&piece.text);
            let style = if piece.hostile { self.theme.style("ui.hostile") } else { style };
            self.spans.push(Span::styled(text, style));
        }
    }

    fn widened(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for (at, part) in text.split('\t').enumerate() {
            if at > 0 {
                let blanks = self.tab_width - self.column % self.tab_width;
                out.extend(std::iter::repeat_n(' ', blanks));
                self.column += blanks;
            }
            out.push_str(part);
            self.column += part.width();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Grammar, Theme};
    use super::*;

    #[test]
    fn tabs_widen_and_hostile_text_shows() {
        let document = Document::new("\tx\u{202e}\t# \x1b[2J\r\n", Some(Grammar::Mcl));
        let theme = Theme::built_in("mono").expect("it is built in");
        let drawn: Vec<String> = lines(&document, 0..9, &theme, 4).iter().map(Line::to_string).collect();
        assert_eq!(drawn, ["    x\\u{202e}   # \\x1b[2J\\r", ""]);
        let document = Document::new("# 👩\u{200d}👧 a\u{200d}b", Some(Grammar::Mcl));
        assert_eq!(lines(&document, 0..1, &theme, 4)[0].to_string(), "# 👩👧 a\\u{200d}b");
    }
}
