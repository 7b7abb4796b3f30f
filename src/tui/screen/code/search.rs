//! The search: to the next line that holds the words, and its marks on what is drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::look::{Look, Role};
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// Follows a search while it is typed.
pub fn search(tui: &mut Tui, words: &str) {
    tui.code.words = words.to_string();
    find(tui, true, true);
}

/// Moves to the next line that holds the words, the cursor's own included where `here`.
pub(super) fn find(tui: &mut Tui, forward: bool, here: bool) {
    let words = tui.code.words.to_lowercase();
    let Some(doc) = tui.code.doc_mut() else { return };
    if words.is_empty() {
        return;
    }
    let (len, at) = (doc.len(), doc.stand.list.cursor);
    let from = usize::from(!here);
    let steps = from..len + from;
    let found = steps
        .map(|step| if forward { (at + step) % len } else { (at + 2 * len - step) % len })
        .find(|line| doc.line_text(*line).to_lowercase().contains(&words));
    match found {
        Some(line) => {
            let text = doc.line_text(line).to_lowercase();
            let column = text.find(&words).map_or(0, |byte| text[..byte].chars().count());
            doc.go_to((line as u32 + 1, column as u32 + 1));
        }
        None => tui.say(Role::Warning, format!("`{}` is not in this file", text::safe(&words))),
    }
}

/// Marks the search words on a drawn row.
pub(super) fn mark_matches(buf: &mut Buffer, row: Rect, from: usize, words: &str, look: &Look) {
    if words.is_empty() {
        return;
    }
    let words: Vec<String> = words.to_lowercase().chars().map(String::from).collect();
    let first = row.x + (from as u16).min(row.width);
    let symbol = |buf: &Buffer, x: u16| buf.cell((x, row.y)).map(|cell| cell.symbol().to_lowercase());
    for x in first..row.right().saturating_sub(words.len() as u16 - 1) {
        if words.iter().enumerate().all(|(at, word)| symbol(buf, x + at as u16).as_ref() == Some(word)) {
            buf.set_style(Rect { x, width: words.len() as u16, ..row }, look.style(Role::Match));
        }
    }
}
