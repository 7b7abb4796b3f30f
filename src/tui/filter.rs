//! Filter words, the same on all screens: their problems, their keys, and their results.

use ratatui::text::Line;

use super::screen::{ScreenId, Selection};
use super::{cx::Cx, front::Front, look::Role, widget::text};
use crate::plan::{Query, unknown_key};

/// Why words are not a valid filter. Plain text is always valid.
pub fn wrong(words: &str, cx: &Cx) -> Option<String> {
    if cx.screen == ScreenId::Code { None } else { Query::typed(words).err() }
}

/// A hint for words that are a valid filter, although one of them has an unknown key.
pub fn doubt(words: &str, front: Front<'_>) -> Option<String> {
    let is_query = front.cx.screen != ScreenId::Code;
    is_query.then(|| unknown_key(words, front.screen.filter_keys(), front.screen.has_rows())).flatten()
}

/// How many rows, and the word for one and for many.
type Counted<'a> = (usize, &'a str, &'a str);

/// The text shown if a filter hides everything: how many rows it hides, which word has an unknown key, and how to clear
/// it.
pub fn hides_all(cx: &Cx, screen: &dyn Selection, words: &str, rows: Counted<'_>) -> Vec<Line<'static>> {
    hidden(cx, screen, &format!("Filter `{}`", text::safe(words)), words, rows)
}

/// The same if something other than words may hide it, which is named.
pub fn hidden(cx: &Cx, screen: &dyn Selection, by: &str, words: &str, rows: Counted<'_>) -> Vec<Line<'static>> {
    let (count, one, many) = rows;
    let what = if count == 1 { one } else { many };
    let mut lines = vec![Line::raw(format!(" {by} hides {count} {what}."))];
    let doubt = unknown_key(words, screen.filter_keys(), false);
    lines.extend(doubt.map(|doubt| Line::styled(format!(" {}.", text::safe(&doubt)), cx.look.style(Role::Warning))));
    lines.push(Line::styled(" Esc clears it.", cx.look.style(Role::Dim)));
    lines
}
