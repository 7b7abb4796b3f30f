//! Words about resources and steps: names, counts, durations.

use std::time::Duration;

use ratatui::style::Style;

use crate::graph::ResourceId;
use crate::plan::{Action, Step, Summary};
use crate::tui::look::{Look, Role};
use crate::tui::widget::text;

/// The counts of a summary that are not zero, each with its letter.
pub fn counts(look: &Look, summary: &Summary) -> Vec<(String, Style)> {
    let refresh = (look.glyphs.refresh, look.style(Role::Refresh));
    let all = [
        (look.action(Action::None), summary.none),
        (look.action(Action::Create), summary.create),
        (look.action(Action::Change), summary.change),
        (look.action(Action::Replace), summary.replace),
        (look.action(Action::Remove), summary.remove),
        (look.action(Action::Run), summary.run),
        (look.action(Action::Unknown), summary.unknown),
        (refresh, summary.refresh),
    ];
    all.into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|((letter, style), count)| (format!("{letter}{count}"), style))
        .collect()
}

/// A resource's name, cut to this many columns.
pub fn name(id: &ResourceId, room: usize, look: &Look) -> String {
    text::fit_middle(&id.to_string(), room, look.glyphs.cut).into_owned()
}

/// Whether a step does nothing.
pub fn is_idle(step: &Step) -> bool {
    step.action == Action::None && !step.refresh && step.error.is_none()
}

/// A longer duration in words.
pub fn seconds(time: Duration) -> String {
    match time.as_secs() {
        second @ 0..60 => format!("{second}s"),
        second @ 60..3600 => format!("{}m{:02}s", second / 60, second % 60),
        second => format!("{}h{:02}m", second / 3600, second / 60 % 60),
    }
}

/// A name as a word of a command line.
pub fn quoted(id: &ResourceId) -> String {
    let words = id.to_string();
    if words.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c)) { words } else { format!("'{words}'") }
}
