//! The search in a text: its matches, moves between them, and their marks.

use std::iter::Peekable;

use ratatui::prelude::{Buffer, Rect};
use regex::RegexBuilder;
use unicode_segmentation::UnicodeSegmentation;

use super::{cursor, doc::Doc};
use crate::tui::look::{Look, Role};
use crate::tui::screen::code::data::State as Code;
pub(super) use crate::tui::screen::code::doc::Found;
use crate::tui::{cx::Cx, widget::text};

/// More matches than this are not counted.
const MOST: usize = 100_000;

impl Found {
    /// `3 of 12` at a position; `None` without words.
    pub fn count(&self, line: usize, byte: usize) -> Option<String> {
        let before = self.places.partition_point(|place| *place <= (line, byte));
        match (self.words.is_empty(), self.places.len()) {
            (true, _) => None,
            (false, 0) => Some("not found".into()),
            (false, all) => Some(format!("{} of {all}", before.max(1))),
        }
    }
}

/// Follows a search while it is typed.
pub fn search(code: &mut Code, cx: &mut Cx, words: &str) {
    code.words = words.to_string();
    find(code, cx, true, true);
}

/// Words without capitals find either case.
fn either_case(words: &str) -> bool {
    !words.chars().any(char::is_uppercase)
}

/// Searches the whole text, once per words and text.
pub(super) fn look(doc: &mut Doc, words: &str) {
    if doc.found.words == words {
        return;
    }
    let pattern = RegexBuilder::new(&regex::escape(words)).case_insensitive(either_case(words)).build();
    let mut places = Vec::new();
    // Words that are too long for a pattern match nowhere.
    if let Some(pattern) = pattern.ok().filter(|_| !words.is_empty()) {
        // A line may be as long as the file, so it is traversed once.
        let (mut line, mut glyph, mut glyphs) = (0, 0, glyphs(doc, 0));
        for found in pattern.find_iter(doc.document.text()).take(MOST) {
            let before = line;
            while doc.document.line_range(line).end < found.start() && line + 1 < doc.len() {
                line += 1;
            }
            if line != before {
                (glyph, glyphs) = (0, self::glyphs(doc, line));
            }
            let byte = found.start().saturating_sub(doc.document.line_range(line).start);
            while let Some(next) = glyphs.next_if(|start| *start <= byte) {
                glyph = next;
            }
            places.push((line, glyph));
        }
    }
    doc.found = Found { words: words.to_string(), places };
}

/// The byte offsets of the characters of a line.
fn glyphs(doc: &Doc, line: usize) -> Peekable<impl Iterator<Item = usize>> {
    doc.line_text(line).grapheme_indices(true).map(|(byte, _)| byte).peekable()
}

/// Goes to the next match, including the one at the cursor if `here`.
pub(super) fn find(code: &mut Code, cx: &mut Cx, forward: bool, here: bool) {
    let words = code.words.clone();
    let Some(doc) = code.doc_mut() else { return };
    look(doc, &words);
    if words.is_empty() {
        return;
    }
    let at = (doc.position.list.cursor, doc.position.byte);
    let places = &doc.found.places;
    let next = if forward {
        places.partition_point(|place| if here { *place < at } else { *place <= at })
    } else {
        places.partition_point(|place| *place < at).checked_sub(1).unwrap_or(places.len())
    };
    // Wraps around the end or the start.
    let found = places.get(next).or(if forward { places.first() } else { places.last() }).copied();
    match found {
        Some((line, byte)) => {
            let column = cursor::to_place(doc.line_text(line), byte);
            doc.go_to((line as u32 + 1, column));
        }
        None => cx.show_notice(Role::Warning, format!("no match for `{}` in this file", text::safe(&words))),
    }
}

/// The word under the cursor, and its byte offset.
pub(super) fn word(doc: &Doc) -> Option<(usize, String)> {
    let line = doc.line_text(doc.position.list.cursor);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let rest = line.get(doc.position.byte..)?.trim_start_matches('$');
    let byte = line.len() - rest.len();
    let before = line[..byte].char_indices().rev().take_while(|(_, c)| is_name(*c)).last();
    let end = byte + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let start = before.map_or(byte, |(at, _)| at);
    Some((start, line[start..end].to_string()))
}

/// Marks the matches on a drawn row.
pub(super) fn mark_matches(buf: &mut Buffer, row: Rect, from: usize, words: &str, look: &Look) {
    if words.is_empty() {
        return;
    }
    let fold = |text: &str| if either_case(words) { text.to_lowercase() } else { text.to_string() };
    let wanted: Vec<String> = fold(words).chars().map(String::from).collect();
    let first = row.x + (from as u16).min(row.width);
    let symbol = |buf: &Buffer, x: u16| buf.cell((x, row.y)).map(|cell| fold(cell.symbol()));
    for x in first..row.right().saturating_sub(wanted.len() as u16 - 1) {
        if wanted.iter().enumerate().all(|(at, word)| symbol(buf, x + at as u16).as_ref() == Some(word)) {
            buf.set_style(Rect { x, width: wanted.len() as u16, ..row }, look.style(Role::Match));
        }
    }
}
