//! Filter words, the same on all screens: their problems, their keys, and their results.

use ratatui::text::Line;

use super::cx::Cx;
use super::look::Role;
use super::screen::{self, ScreenId};
use super::state::State;
use super::widget::text;
use crate::plan::{Query, RESOURCE_KEYS, unknown_key};

/// The keys that words may start with on a screen.
pub fn keys(cx: &Cx) -> &'static [&'static str] {
    match cx.screen {
        ScreenId::Modules => &["file"],
        ScreenId::Graph | ScreenId::Step => &RESOURCE_KEYS,
        ScreenId::Deploys => &["kind", "state"],
        ScreenId::Log => &["level", "resource", "kind"],
        ScreenId::Code => &[],
    }
}

/// Example words, shown while none are typed.
pub fn example(cx: &Cx) -> &'static str {
    match cx.screen {
        ScreenId::Modules => "words, file:NAME, !old",
        ScreenId::Graph | ScreenId::Step => "words, kind:file, act:create, state:failed, !nginx",
        ScreenId::Deploys => "words, kind:plan, !kind:fetch, state:failed",
        ScreenId::Log => "words, level:problems, resource:nginx, kind:file, !work",
        ScreenId::Code => "",
    }
}

/// Why words are not a valid filter. Plain text is always valid.
pub fn wrong(words: &str, cx: &Cx) -> Option<String> {
    if cx.screen == ScreenId::Code { None } else { Query::typed(words).err() }
}

/// A hint for words that are a valid filter, although one of them has an unknown key.
pub fn doubt(words: &str, state: &State) -> Option<String> {
    let is_query = state.cx.screen != ScreenId::Code;
    is_query.then(|| unknown_key(words, keys(&state.cx), screen::shows_some(state))).flatten()
}

/// The text shown if a filter hides everything: how many rows it hides, which word has an unknown key, and how to clear
/// it.
pub fn hides_all(cx: &Cx, words: &str, (count, one, many): (usize, &str, &str)) -> Vec<Line<'static>> {
    hidden(cx, &format!("Filter `{}`", text::safe(words)), words, (count, one, many))
}

/// The same if something other than words may hide it, which is named.
pub fn hidden(cx: &Cx, by: &str, words: &str, (count, one, many): (usize, &str, &str)) -> Vec<Line<'static>> {
    let what = if count == 1 { one } else { many };
    let mut lines = vec![Line::raw(format!(" {by} hides {count} {what}."))];
    let doubt = unknown_key(words, keys(cx), false);
    lines.extend(doubt.map(|doubt| Line::styled(format!(" {}.", text::safe(&doubt)), cx.look.style(Role::Warning))));
    lines.push(Line::styled(" Esc clears it.", cx.look.style(Role::Dim)));
    lines
}
