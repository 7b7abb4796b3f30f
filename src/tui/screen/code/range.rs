//! The text selection: from where `v` was pressed to the cursor, both included.

use super::{State, cursor};
use ratatui::prelude::{Buffer, Rect};

use super::doc::Doc;
use crate::tui::look::Look;
use crate::tui::screen::code::data::State as Code;

/// A line and a byte in it, both from 0.
pub(super) type End = (usize, usize);

/// Starts or ends a selection.
pub fn toggle_range(code: &mut Code) {
    if let Some(doc) = code.doc_mut() {
        doc.anchor = if doc.anchor.is_some() { None } else { Some((doc.position.list.cursor, doc.position.byte)) };
    }
}

pub fn is_selecting(code: &Code) -> bool {
    code.doc().is_some_and(|doc| doc.anchor.is_some())
}

/// Ends the selection; true if there was one.
pub fn drop_range(code: &mut State) -> bool {
    code.doc_mut().is_some_and(|doc| doc.anchor.take().is_some())
}

/// From the first character to the last.
fn ends(doc: &Doc) -> Option<(End, End)> {
    let (anchor, here) = (doc.anchor?, (doc.position.list.cursor, doc.position.byte));
    let last = doc.len().saturating_sub(1);
    let anchor = if anchor.0 > last { (last, 0) } else { anchor };
    Some((anchor.min(here), anchor.max(here)))
}

/// The byte after a character.
fn after_char(line: &str, byte: usize) -> usize {
    let after = cursor::glyphs(line).map(|glyph| glyph.byte).find(|at| *at > byte);
    after.unwrap_or(line.len())
}

pub(super) fn text(doc: &Doc) -> Option<String> {
    let ((first, from), (last, to)) = ends(doc)?;
    let lines: Vec<&str> = (first..=last)
        .map(|at| {
            let line = doc.line_text(at);
            let start = if at == first { from.min(line.len()) } else { 0 };
            let end = if at == last { after_char(line, to) } else { line.len() };
            line.get(start..end).unwrap_or_default()
        })
        .collect();
    Some(lines.join("\n"))
}

/// Highlights the selected part of a line.
pub(super) fn mark(doc: &Doc, line: usize, buf: &mut Buffer, row: Rect, margin: usize, look: &Look) {
    let Some(((first, from), (last, to))) =
        ends(doc).filter(|((first, _), (last, _))| (*first..=*last).contains(&line))
    else {
        return;
    };
    let text = doc.line_text(line);
    let column = |byte: usize| cursor::at_byte(text, byte).map_or(0, |glyph| glyph.column);
    let all = cursor::glyphs(text).last().map_or(0, |glyph| glyph.column + glyph.width);
    let start = if line == first { column(from) } else { 0 };
    // A selection that continues in the next line includes the line end.
    let end =
        if line == last { cursor::at_byte(text, to).map_or(1, |glyph| glyph.column + glyph.width) } else { all + 1 };
    let place = |column: usize| {
        let shown = u16::try_from((margin + column).saturating_sub(doc.position.left)).unwrap_or(u16::MAX);
        row.x.saturating_add(shown)
    };
    let (left, right) = (place(start).max(row.x + margin as u16), place(end).min(row.right()));
    if left < right {
        buf.set_style(Rect { x: left, width: right - left, ..row }, look.selection(true));
    }
}
