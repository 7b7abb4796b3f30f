//! The cursor's column: where each character of a line is drawn, and moves along a line.

use std::iter;

use unicode_segmentation::UnicodeSegmentation;

use crate::highlight::pieces;
use crate::tui::widget::text::width;

/// The columns of a tab.
pub(super) const TAB: usize = 4;
pub use crate::tui::keymap::action::Along;

/// A character as drawn, its combining marks included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glyph {
    /// Its byte offset in the line.
    pub byte: usize,
    /// Its column, from 0.
    pub column: usize,
    pub width: usize,
}

/// Every character of a line, in order.
pub(super) fn glyphs(line: &str) -> impl Iterator<Item = Glyph> {
    // Lines may be very long, and most of their text is plain ASCII.
    let plain = plain(line);
    let mut marked = line[plain..].grapheme_indices(true).map(move |(at, grapheme)| (plain + at, grapheme));
    let (mut at, mut column) = (0, 0);
    iter::from_fn(move || {
        let tab = TAB - column % TAB;
        let (byte, width) = if at < plain {
            (at, if line.as_bytes()[at] == b'\t' { tab } else { 1 })
        } else {
            match marked.next()? {
                (byte, "\t") => (byte, tab),
                // Hostile characters are drawn by their names.
                (byte, grapheme) => (byte, pieces(grapheme).iter().map(|piece| width(&piece.text)).sum()),
            }
        };
        at += 1;
        let glyph = Glyph { byte, column, width };
        column += width;
        Some(glyph)
    })
}

/// The length of the line's plain start: each byte is a character, one column or a tab wide. A combining mark may
/// follow the last one.
fn plain(line: &str) -> usize {
    let is_plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let count = line.bytes().take_while(is_plain).count();
    if count == line.len() { count } else { count.saturating_sub(1) }
}

/// The character at a byte; the last one if the byte is after the end.
pub(super) fn at_byte(line: &str, byte: usize) -> Option<Glyph> {
    glyphs(line).take_while(|glyph| glyph.byte <= byte).last()
}

/// The character at a column; the last one if the column is after the end.
pub(super) fn at_column(line: &str, column: usize) -> Option<Glyph> {
    glyphs(line).take_while(|glyph| glyph.column <= column).last()
}

/// The byte offset of the n-th character, from 1, as places count them.
pub(super) fn of_place(line: &str, column: u32) -> usize {
    let nth = (column as usize).saturating_sub(1);
    let byte = line.char_indices().nth(nth).map_or(line.len(), |(byte, _)| byte);
    at_byte(line, byte).map_or(0, |glyph| glyph.byte)
}

/// The reverse of [`of_place`].
pub(super) fn to_place(line: &str, byte: usize) -> u32 {
    line.char_indices().take_while(|(at, _)| *at < byte).count() as u32 + 1
}

/// Moves within a line; `None` if the move leaves it.
pub(super) fn along(line: &str, byte: usize, way: Along) -> Option<usize> {
    let mut ahead = line[byte.min(line.len())..].grapheme_indices(true).map(|(at, text)| (byte + at, class(text)));
    match way {
        Along::Left => Some(line[..byte].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)),
        Along::Right => Some(ahead.nth(1).map_or(byte, |(at, _)| at)),
        Along::Word => {
            let here = ahead.next()?.1;
            ahead.skip_while(|(_, there)| *there == here && here != Class::Blank).find(is_word).map(|(at, _)| at)
        }
        Along::WordBack => {
            let before = line[..byte].grapheme_indices(true).rev().map(|(at, text)| (at, class(text)));
            let mut before = before.skip_while(|(_, class)| *class == Class::Blank).peekable();
            let first = before.peek()?.1;
            before.take_while(|(_, class)| *class == first).last().map(|(at, _)| at)
        }
    }
}

/// The byte of the first character that is not blank.
pub(super) fn first_word(line: &str) -> Option<usize> {
    line.grapheme_indices(true).map(|(at, text)| (at, class(text))).find(is_word).map(|(at, _)| at)
}

/// The class of a character: a move by words stops where it changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    /// Letters, digits, `_`, and the `$` of variables.
    Name,
    Sign,
}

fn class(grapheme: &str) -> Class {
    match grapheme.chars().next() {
        None => Class::Blank,
        Some(c) if c.is_whitespace() => Class::Blank,
        Some(c) if c.is_alphanumeric() || c == '_' || c == '$' => Class::Name,
        Some(_) => Class::Sign,
    }
}

fn is_word((_, class): &(usize, Class)) -> bool {
    *class != Class::Blank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_drawn() {
        let columns: Vec<_> = glyphs("\ta漢\t\u{202e}e\u{301}b").map(|glyph| (glyph.byte, glyph.column)).collect();
        assert_eq!(columns, [(0, 0), (1, 4), (2, 5), (5, 7), (6, 8), (9, 16), (12, 17)]);
        assert_eq!(at_column("\tab", 2).map(|glyph| glyph.byte), Some(0));
        assert_eq!(at_column("ab", 9).map(|glyph| glyph.byte), Some(1));
        assert_eq!(at_column("", 9), None);
        assert_eq!((of_place("aé漢b", 4), to_place("aé漢b", 6)), (6, 4));
        assert_eq!(of_place("", 7), 0);
    }

    #[test]
    fn words_end_where_the_class_changes() {
        let line = "\tfile \"${root}/x\" {";
        let mut at = 0;
        let mut seen = vec![];
        while let Some(next) = along(line, at, Along::Word) {
            seen.push(&line[next..=next]);
            at = next;
        }
        assert_eq!(seen, ["f", "\"", "$", "{", "r", "}", "x", "\"", "{"]);
        assert_eq!(along(line, 6, Along::WordBack), Some(1));
        assert_eq!(along(line, 1, Along::WordBack), None);
        assert_eq!(along(line, 0, Along::Left), Some(0));
        assert_eq!(along("", 0, Along::Right), Some(0));
    }
}
