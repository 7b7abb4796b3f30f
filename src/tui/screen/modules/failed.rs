//! A failed fetch: its page, its retry, and the way to its log lines.

use std::collections::BTreeSet;

use ratatui::text::{Line, Span};

use super::fetch::{Refusals, Task, begin_with};
use crate::session::Permit;
use crate::tui::cx::{Cx, Request};
use crate::tui::look::{Look, Role};
pub use crate::tui::screen::modules::data::Failed;
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::widget::text;

/// How many of its last lines the page shows.
const LAST: usize = 3;

impl Failed {
    pub fn new(title: &'static str, refusals: &Refusals, was: &(Task, BTreeSet<Permit>), began: usize) -> Self {
        let Refusals { lines, remotes, .. } = refusals.clone();
        Self { title, wanted: was.0.clone(), permits: was.1.clone(), remotes, lines, began }
    }
}

/// Retries it, with the same permissions.
pub fn retry(modules: &mut Modules, cx: &mut Cx) {
    let Some(failed) = modules.failed.take() else { return };
    modules.refused = None;
    begin_with(modules, cx, failed.wanted, failed.permits)
}

/// Goes to its start in the log.
pub fn show_log(modules: &Modules, cx: &mut Cx) {
    let failed = modules.failed.as_ref();
    failed.into_iter().for_each(|failed| cx.request(Request::Line(failed.began)));
}

/// The remote and the ref of an import.
fn remote_words(import: &str) -> (String, String) {
    let import = import.split_once('#').map_or(import, |(import, _)| import);
    let (url, query) = import.split_once('?').unwrap_or((import, ""));
    // Other parts of the query are ignored.
    let named = query.split('&').find_map(|pair| pair.strip_prefix("ref="));
    let reference = named.map_or("its default branch".into(), |name| format!("ref {name}"));
    (text::safe(url), text::safe(&reference))
}

/// Its lines on the page: the remotes with their refs, the last lines, and the keys.
pub fn lines(failed: &Failed, look: &Look, width: usize) -> Vec<Line<'static>> {
    let key = |key: &'static str| Span::styled(key, look.style(Role::Key));
    let dim = |words: &'static str| Span::styled(words, look.style(Role::Dim));
    let head = format!("{} {}", look.glyphs.failed, failed.title);
    let keys = Line::from(vec![key("r"), dim(" retry")]);
    let has_room = text::width(&head) + 3 + keys.width() <= width;
    let head = text::wrap(&head, width).into_iter().map(|line| Line::styled(line, look.style(Role::Error)));
    let mut lines: Vec<Line> = head.collect();
    if let Some(head) = lines.first_mut().filter(|_| has_room) {
        head.push_span("   ");
        head.spans.extend(keys.spans);
    } else {
        lines.push(Line::from_iter(std::iter::once(Span::raw("  ")).chain(keys.spans)));
    }
    let more = |count: usize| Line::styled(format!("  and {count} more"), look.style(Role::Dim));
    for remote in failed.remotes.iter().take(LAST) {
        let (url, reference) = remote_words(remote);
        let reference = format!("  {reference}");
        let room = width.saturating_sub(2 + text::width(&reference));
        let url = text::fit_middle(&url, room, look.glyphs.cut).into_owned();
        let spans = [Span::raw("  "), Span::styled(url, look.style(Role::Strong)), Span::raw(reference)];
        lines.push(Line::from(spans.to_vec()));
    }
    lines.extend(failed.remotes.len().checked_sub(LAST + 1).map(|beyond| more(beyond + 1)));
    let before = failed.lines.len().saturating_sub(LAST);
    if before > 0 {
        lines.push(Line::styled(format!("  {before} more before these"), look.style(Role::Dim)));
    }
    for line in &failed.lines[before..] {
        let wrapped = text::wrap(&text::safe(line), width.saturating_sub(2));
        lines.extend(wrapped.into_iter().map(|line| Line::raw(format!("  {line}"))));
    }
    lines.push(Line::raw(""));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::highlight::Theme;
    use crate::tui::look::ASCII;

    /// The keys stay whole however narrow the page is.
    #[test]
    fn the_way_on_is_whole() {
        let failed = Failed {
            title: "the modules that were missing could not be fetched",
            wanted: Task::Missing,
            permits: BTreeSet::new(),
            remotes: vec![],
            lines: vec![],
            began: 0,
        };
        let look = Look::new(Theme::built_in("mono").expect("compiled in"), &ASCII);
        for width in [80, 60, 40, 26] {
            let lines: Vec<String> = lines(&failed, &look, width).iter().map(ToString::to_string).collect();
            assert!(lines.iter().any(|line| line.contains("r retry")), "{width}: {lines:?}");
            assert!(lines.iter().all(|line| text::width(line) <= width), "{width}: {lines:?}");
        }
    }
}
