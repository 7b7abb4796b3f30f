//! The keys that may follow a prefix, with their actions.
//!
//! They use as few columns as the window's height allows, so that there is room for words: whole titles if they fit;
//! else the part before the first colon or semicolon; else the ids from the settings. A cut word is less useful than a
//! short one.

use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::popup;
use crate::tui::widget::{list, text};
use crate::tui::{front::Front, keymap::Entry, keys, look::Role};

/// A key with a space on each side.
const KEY: usize = 8;
/// Fewer columns are too few for words.
const WORDS: usize = 10;

struct Row {
    key: String,
    entry: &'static Entry,
    is_enabled: bool,
}

/// Draws them in the corner above the footer.
pub(super) fn view(front: Front<'_>, buf: &mut Buffer, body: Rect) {
    let pressed = &front.cx.typing.pending.keys;
    let follows = |keys: &[keys::Key]| keys.len() > pressed.len() && keys.starts_with(pressed);
    let here = front.cx.keymap.on(front.cx.screen).filter(|(keys, entry)| follows(keys) && !entry.is_moot(front.cx));
    let rows: Vec<Row> = here
        .map(|(keys, entry)| {
            let key = keys::show(&keys[pressed.len()..]);
            Row { key, entry, is_enabled: entry.enabled(front).is_ok() }
        })
        .collect();
    let most = usize::from(body.height.saturating_sub(2)).max(1);
    let room = usize::from(body.width.saturating_sub(2));
    let columns = rows.len().div_ceil(most).clamp(1, (room / (KEY + WORDS)).max(1));
    let each = rows.len().div_ceil(columns).clamp(1, most);
    // If not all fit, the last line shows it.
    let is_cut = rows.len() > columns * each;
    let listed = if is_cut { each.saturating_sub(1).max(1) } else { each };
    let parts: Vec<&[Row]> = rows.chunks(listed).take(columns).collect();
    let (words, widths) = worded(&parts, room);
    let width = (widths.iter().sum::<usize>() as u16 + 2).min(body.width);
    let height = (each as u16 + 2).min(body.height);
    // Its corner does not cover those of the panes, if there is room beside them.
    let beside = |all: u16, taken: u16| u16::from(all > taken + 1);
    let x = body.right() - width - beside(body.width, width);
    let y = body.bottom() - height - beside(body.height, height);
    let area = Rect { x, y, width, height };
    let inner = popup(front.cx, buf, area, &keys::show(pressed));
    let cell = |row: &Row, width: usize| {
        let role = if row.is_enabled { Role::Text } else { Role::Dim };
        let room = width.saturating_sub(KEY);
        let title = text::fit(words(row), room.saturating_sub(1), front.cx.look.glyphs.cut);
        let key = Span::styled(format!(" {:<6} ", row.key), front.cx.look.style(Role::Key));
        [key, Span::styled(text::pad(&title, room), front.cx.look.style(role))]
    };
    let line = |at: usize| {
        let cells = parts.iter().zip(&widths).filter_map(|(part, width)| Some((part.get(at)?, *width)));
        Line::from_iter(cells.flat_map(|(row, width)| cell(row, width)))
    };
    let mut lines: Vec<Line> = (0..listed).map(line).collect();
    if is_cut {
        let rest = rows.len() - parts.iter().map(|part| part.len()).sum::<usize>();
        let words = format!(" {} {rest} more (? lists all)", front.cx.look.glyphs.cut);
        lines.push(Line::styled(words, front.cx.look.style(Role::Dim)));
    }
    list::draw_text(buf, inner, 0, &lines);
}

/// The words of a row.
type Words = fn(&Row) -> &'static str;

/// The longest words that fit, and the width of each column. If none fit, all columns have the same width.
fn worded(parts: &[&[Row]], room: usize) -> (Words, Vec<usize>) {
    let all: [Words; 3] = [|row| row.entry.title, |row| row.entry.name(), |row| row.entry.id];
    for words in all {
        let widest = |part: &&[Row]| part.iter().map(|row| text::width(words(row))).max().unwrap_or(0) + KEY + 1;
        let widths: Vec<usize> = parts.iter().map(widest).collect();
        if widths.iter().sum::<usize>() <= room {
            return (words, widths);
        }
    }
    (all[2], vec![room / parts.len().max(1); parts.len()])
}
