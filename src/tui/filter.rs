//! The words of a filter, the same on all screens: what is wrong with them, which keys ask something, and what they leave.

use ratatui::text::Line;

use super::look::Role;
use super::screen::{self, ScreenId};
use super::state::State;
use super::widget::text;
use crate::plan::{Query, RESOURCE_KEYS, unknown_key};

/// The keys that words may begin with on a screen.
pub fn keys(state: &State) -> &'static [&'static str] {
    match state.screen {
        ScreenId::Modules => &["file"],
        ScreenId::Graph | ScreenId::Step => &RESOURCE_KEYS,
        ScreenId::Deploys => &["kind", "state"],
        ScreenId::Log => &["level", "resource", "kind"],
        ScreenId::Code => &[],
    }
}

/// Words as an example, where none are typed yet.
pub fn example(state: &State) -> &'static str {
    match state.screen {
        ScreenId::Modules => "words, file:NAME, !old",
        ScreenId::Graph | ScreenId::Step => "words, kind:file, act:create, state:failed, !nginx",
        ScreenId::Deploys => "words, kind:plan, !kind:fetch, state:failed",
        ScreenId::Log => "words, level:problems, resource:nginx, kind:file, !work",
        ScreenId::Code => "",
    }
}

/// The row to stand on once other words leave other rows: the one where one stood before the words were typed, as long as they
/// are typed on, or else the one under the cursor; once all are shown the one that was found comes first.
pub fn stays<R>(
    (before, words): (&str, &str),
    stood: Option<R>,
    here: Option<R>,
    place: impl Fn(&R) -> Option<usize>,
) -> usize {
    let is_typed_on = words.starts_with(before) || before.starts_with(words);
    let stood = stood.filter(|_| is_typed_on).and_then(|row| place(&row));
    let here = here.and_then(|row| place(&row));
    let found = if words.is_empty() { here.or(stood) } else { stood.or(here) };
    found.unwrap_or(0)
}

/// Why words cannot be a filter. Text is searched for as it stands.
pub fn wrong(words: &str, state: &State) -> Option<String> {
    if state.screen == ScreenId::Code { None } else { Query::typed(words).err() }
}

/// What somebody should know of words that are a filter already: one of them has a key that means nothing here.
pub fn doubt(words: &str, state: &State) -> Option<String> {
    let is_query = state.screen != ScreenId::Code;
    is_query.then(|| unknown_key(words, keys(state), screen::shows_some(state))).flatten()
}

/// What stands where a filter leaves nothing: how many of what it hides, which word means nothing here, and the way back.
pub fn hides_all(state: &State, words: &str, (count, one, many): (usize, &str, &str)) -> Vec<Line<'static>> {
    hidden(state, &format!("Filter `{}`", text::safe(words)), words, (count, one, many))
}

/// The same where something else than words may hide it, which is named.
pub fn hidden(state: &State, by: &str, words: &str, (count, one, many): (usize, &str, &str)) -> Vec<Line<'static>> {
    let what = if count == 1 { one } else { many };
    let mut lines = vec![Line::raw(format!(" {by} hides {count} {what}."))];
    let doubt = unknown_key(words, keys(state), false);
    lines.extend(doubt.map(|doubt| Line::styled(format!(" {}.", text::safe(&doubt)), state.look.style(Role::Warning))));
    lines.push(Line::styled(" Esc clears it.", state.look.style(Role::Dim)));
    lines
}
