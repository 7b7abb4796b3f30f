//! The footer: the typed line, the notice, or the most important actions of the focused pane.

use ratatui::prelude::{Buffer, Line, Position, Rect, Span};

use super::keymap::{Action, Entry, TABLE};
use super::layer::{self, Layer};
use super::screen::{Pane, ScreenId};
use super::{cx::Cx, filter, front::Front, keys, layout, look::Role, widget::text};
use crate::tui::screen::step::data::State as Step;

/// Draws it; returns the position of the text cursor while text is typed.
pub fn view(front: Front<'_>, buf: &mut Buffer, area: Rect) -> Option<Position> {
    let look = &front.cx.look;
    buf.set_style(area, look.style(Role::Bar));
    let area = badge(front.step, front.cx, buf, area);
    let area = ignored(front.cx, buf, area);
    if let Some(Layer::Command(line)) = front.cx.layers.open.last() {
        return Some(layer::command::view_line(line, &front.cx.look, buf, area));
    }
    if let Some(Layer::Prompt { words, .. }) = front.cx.layers.open.last() {
        let line = format!(" /{}", text::safe(words));
        let shown = text::fit_end(&line, usize::from(area.width).saturating_sub(1), look.glyphs.cut);
        let (x, y) = buf.set_stringn(area.x, area.y, &shown, usize::from(area.width), look.style(Role::Strong));
        let (hint, role) = match filter::wrong(words, front.cx).or_else(|| filter::doubt(words, front)) {
            Some(wrong) => (format!("{} ", text::safe(&wrong)), Role::Warning),
            None if words.is_empty() && !front.screen.filter_example().is_empty() => {
                (format!("{}  Esc clear ", front.screen.filter_example()), Role::Dim)
            }
            None => ("Enter keep  Esc clear ".into(), Role::Dim),
        };
        let room = usize::from(area.right().saturating_sub(x + 3));
        let hint = text::fit(&hint, room, look.glyphs.cut);
        buf.set_string(area.right() - text::width(&hint) as u16, y, &hint, look.style(role));
        return Some(Position::new(x.min(area.right().saturating_sub(1)), y));
    }
    if let Some((role, words)) = &front.cx.notices.notice {
        let words = format!(" {}", text::safe(words));
        let shown = text::fit(&words, usize::from(area.width), look.glyphs.cut);
        buf.set_stringn(area.x, area.y, shown, usize::from(area.width), look.style(*role));
        return None;
    }
    // An open layer shows its own keys. Except over a hover, the screen's keys do nothing now.
    if front.cx.layers.open.last().is_some_and(|layer| !matches!(layer, Layer::Hover(_))) {
        return None;
    }
    if layout::is_cramped(front.cx.window.width, front.cx.window.height) {
        let panes = front.cx.panes();
        let at = panes.iter().position(|pane| *pane == front.cx.focus()).unwrap_or(0) + 1;
        let key = |key: &'static str| Span::styled(key, look.style(Role::Key));
        let dim = |words: String| Span::styled(words, look.style(Role::Dim));
        let mut spans = vec![dim(format!(" {}x{}", front.cx.window.width, front.cx.window.height))];
        if panes.len() > 1 {
            spans.extend([dim(format!(": pane {at} of {}  ", panes.len())), key("Tab"), dim(" next".into())]);
        }
        spans.extend([dim("  ".into()), key("?"), dim(" keys".into())]);
        let line = Line::from(spans);
        text::draw(buf, area.x, area.y, &line, area.width);
        return None;
    }
    let count = front.cx.typing.pending.count.map(|count| count.to_string()).unwrap_or_default();
    let pending = match front.cx.waiting_screen() {
        Some(screen) => format!("{count} {}, or a count", screen.title()),
        None => format!("{count}{}", keys::show(&front.cx.typing.pending.keys)),
    };
    hints(front, buf, area, &pending);
    None
}

/// Draws the LIVE badge before everything else in the footer; returns the room beside it.
fn badge(step: &Step, cx: &Cx, buf: &mut Buffer, area: Rect) -> Rect {
    if !step.phase.is_live() {
        return area;
    }
    let (x, _) = buf.set_stringn(area.x, area.y, badge_words(cx), usize::from(area.width), cx.look.badge(true));
    Rect { x, width: area.right().saturating_sub(x), ..area }
}

/// `LIVE` with the host name, if there is room.
pub fn badge_words(cx: &Cx) -> String {
    const HOST: usize = 16;
    if cx.project.host.is_empty() || cx.window.width < 60 {
        return " LIVE ".into();
    }
    let host = text::safe(&cx.project.host);
    format!(" LIVE {} ", text::fit(&host, HOST, cx.look.glyphs.cut))
}

/// How many presses were ignored, at the end; returns the room before it.
fn ignored(cx: &Cx, buf: &mut Buffer, area: Rect) -> Rect {
    let words = match cx.typing.presses.ignored() {
        0 => return area,
        1 => " 1 key ignored: LIVE takes one key at a time ".into(),
        many => format!(" {many} keys ignored: LIVE takes one key at a time "),
    };
    let width = (words.len() as u16).min(area.width);
    buf.set_stringn(area.right() - width, area.y, &words, usize::from(width), cx.look.style(Role::Warning));
    Rect { width: area.width - width, ..area }
}

/// The width from which there is room for the quit hint.
const WIDE: u16 = 100;

/// The enabled actions that fit, most used first, and always the key of the palette.
fn hints(front: Front<'_>, buf: &mut Buffer, area: Rect, pending: &str) {
    let look = &front.cx.look;
    let mut entries: Vec<&Entry> = TABLE.iter().filter(|entry| entry.works_on(front.cx.screen)).collect();
    entries.retain(|entry| !hint(front, entry).is_empty() && is_offered(front, entry));
    entries.sort_by_cached_key(|entry| rank(front, entry));
    let mut last = vec![(String::from("Space"), "find"), (String::from("?"), "keys")];
    let mode = if front.screen.is_selecting() { "select  " } else { "" };
    let mut room = usize::from(area.width).saturating_sub(20 + text::width(mode) + text::width(pending) + 1);
    // A wide window always shows how to quit.
    let is_quit = |entry: &&&Entry| entry.action == Action::Quit && usual_rank(front, entry) > 0;
    if let Some(quit) = entries.iter().find(is_quit).filter(|_| area.width >= WIDE) {
        let (key, word) = (front.cx.keymap.key_of(quit, front.cx.screen), hint(front, quit));
        if !key.is_empty() {
            room = room.saturating_sub(text::width(&key) + text::width(word) + 3);
            last.insert(0, (key, word));
            entries.retain(|entry| entry.action != Action::Quit);
        }
    }
    let mut spans = vec![Span::raw(" "), Span::styled(mode, look.style(Role::Active))];
    let mut chosen: Vec<(String, &str)> = Vec::new();
    for entry in entries {
        let key = front.cx.keymap.key_of(entry, front.cx.screen);
        let beside = text::width(&key) + 1 + 2;
        let word = hint(front, entry);
        let width = beside + text::width(word);
        // Two keys with the same word need one hint.
        let is_listed = chosen.iter().any(|(_, shown)| *shown == word);
        // An action without keys of its own has no key to show.
        if width <= room && !is_listed && !key.is_empty() {
            room -= width;
            chosen.push((key, word));
        }
    }
    for (key, word) in chosen.into_iter().chain(last) {
        spans.push(Span::styled(key, look.style(Role::Key)));
        spans.push(Span::styled(format!(" {word}  "), look.style(Role::Dim)));
    }
    let line = Line::from(spans);
    text::draw(buf, area.x, area.y, &line, area.width);
    front.cx.areas.add_hints(&front.cx.look, (area.x, area.y), &line);
    if !pending.is_empty() {
        let width = text::width(pending) as u16 + 1;
        buf.set_stringn(area.right().saturating_sub(width), area.y, pending, usize::from(width), look.style(Role::Key));
    }
}

/// The pane that Tab focuses next.
fn after(cx: &Cx, focus: Pane) -> Pane {
    let panes = cx.panes();
    let at = panes.iter().position(|pane| *pane == focus).map_or(0, |at| (at + 1) % panes.len());
    panes[at]
}

/// Whether the footer shows an action: it is enabled and would have an effect.
fn is_offered(front: Front<'_>, entry: &Entry) -> bool {
    let has_use = match entry.action {
        // A step in memory ends before anyone could stop it.
        Action::Stop => front.step.is_running() && (!front.step.is_stepping() || front.step.phase.is_live()),
        Action::Copy if front.cx.focus() == Pane::Problems => has_problems(front.cx),
        Action::Copy => front.screen.has_rows(),
        // The keys of a run need the room.
        Action::Fold(_) => front.cx.screen != ScreenId::Step,
        _ => true,
    };
    has_use && entry.enabled(front).is_ok()
}

/// The first actions of a pane, with their words in the footer; the screen's other actions follow.
fn of_pane(pane: Pane) -> &'static [(&'static str, &'static str)] {
    match pane {
        Pane::Outline => &[("open", "go to")],
        Pane::Problems => &[("open", "go to"), ("next-problem", "next problem"), ("copy", "copy")],
        Pane::Node => &[("references", "references"), ("hover-kind", "its kind")],
        Pane::Changes | Pane::Stop | Pane::Deploy => &[("side-by-side", "side by side")],
        Pane::Output => &[("bottom", "newest"), ("top", "oldest"), ("zoom", "zoom")],
        _ => &[],
    }
}

const OF_SELECTION: [(&str, &str); 2] = [("copy", "copy"), ("back", "stop selecting")];

const OF_ERRORS: [(&str, &str); 1] = [("next-problem", "next problem")];

/// The position of an action among the pane's first actions, and its word there.
fn lead(front: Front<'_>, entry: &Entry) -> Option<(u8, &'static str)> {
    let (at, (_, word)) = leads(front).enumerate().find(|(_, (id, _))| *id == entry.id)?;
    Some((at as u8, word))
}

fn leads(front: Front<'_>) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let of_selection: &[_] = if front.screen.is_selecting() { &OF_SELECTION } else { &[] };
    let of_pane = match front.cx.focus() {
        Pane::Text if front.cx.programs.newest.as_ref().is_some_and(|program| program.has_errors()) => &OF_ERRORS,
        pane => of_pane(pane),
    };
    of_selection.iter().chain(of_pane)
}

/// Whether any first action of the pane is available.
fn has_leads(front: Front<'_>) -> bool {
    let is_lead = |entry: &&Entry| entry.works_on(front.cx.screen) && lead(front, entry).is_some();
    TABLE.iter().filter(is_lead).any(|entry| is_offered(front, entry))
}

/// An action's rank in the footer. If panes are hidden, the key that shows them is among the first.
fn rank(front: Front<'_>, entry: &Entry) -> (u8, u8) {
    match (entry.rank, lead(front, entry)) {
        // The action that stops the running job.
        (0, None) => (0, 0),
        (_, Some((at, _))) => (1, at * 2),
        // The key to hidden panes comes before the pane's own actions.
        (_, None) if entry.action == Action::NextPane && hides_panes(front.cx) => {
            if has_leads(front) {
                (1, 1)
            } else {
                (2, 2)
            }
        }
        (_, None) => (2, usual_rank(front, entry)),
    }
}

fn usual_rank(front: Front<'_>, entry: &Entry) -> u8 {
    match entry.action {
        // A live run ended with steps left: the actions for them.
        Action::Retry | Action::Arm | Action::RollBack | Action::Plan if is_to_try_again(front) => 0,
        // The same if the run stays open.
        Action::Retry if is_open_at_end(front) => 0,
        Action::Edit | Action::Skip | Action::RollBack if is_open_at_end(front) => 1,
        Action::Quit if is_open_at_end(front) => 0,
        _ => entry.rank,
    }
}

fn is_to_try_again(front: Front<'_>) -> bool {
    front.cx.screen == ScreenId::Step && front.step.may_try_again()
}

fn is_open_at_end(front: Front<'_>) -> bool {
    front.cx.screen == ScreenId::Step && front.step.is_open_at_end()
}

fn hides_panes(cx: &Cx) -> bool {
    let layout = cx.layout();
    cx.panes().iter().any(|pane| layout.pane(*pane).is_none())
}

/// The footer's word for an action: one key opens different things.
fn hint(front: Front<'_>, entry: &Entry) -> &'static str {
    if let Some((_, word)) = lead(front, entry) {
        return if entry.action == Action::NextProblem { problem_hint(front.cx, word) } else { word };
    }
    match (entry.action, front.cx.screen, front.cx.focus()) {
        (Action::Arm, _, _) if is_to_try_again(front) => "apply again",
        (Action::Quit, _, _) if front.step.is_open_at_end() => "end it",
        (Action::Quit, _, _) if front.step.phase.is_live() => "quit (asks)",
        (Action::RollBack, _, _) if front.step.phase.is_live() && !front.step.is_open_at_end() => "undo deploy",
        (Action::Open, ScreenId::Step, _) if front.cx.cannot_plan(front.step) => "go to error",
        (Action::Open, ScreenId::Step, _) => "details",
        (Action::Open, ScreenId::Graph, _) => "source",
        (Action::Watch, _, _) if front.cx.events.is_on() || front.step.watch.is_on() => "stop watching",
        (Action::Open, ScreenId::Code, Pane::Text) => "graph",
        (Action::NextProblem, _, _) => problem_hint(front.cx, entry.hint),
        (Action::NextPane, _, focus) if hides_panes(front.cx) => after(front.cx, focus).word(),
        (Action::Filter, ScreenId::Code, _) => "search",
        _ => entry.hint,
    }
}

fn has_problems(cx: &Cx) -> bool {
    cx.programs.newest.as_ref().is_some_and(|program| !program.problems.is_empty())
}

/// With one problem there is no next one.
fn problem_hint(cx: &Cx, next: &'static str) -> &'static str {
    let count = cx.programs.newest.as_ref().map_or(0, |program| program.problems.len());
    if count == 1 { "the problem" } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::layout::Class;

    /// The first actions of a pane are in the table, and work on the pane's screen.
    #[test]
    fn what_panes_name_is_there() {
        let panes = ScreenId::ALL.into_iter().flat_map(|screen| screen.panes(Class::Wide, true)).chain(&[Pane::Stop]);
        for (pane, (id, word)) in panes.flat_map(|pane| of_pane(*pane).iter().map(move |named| (*pane, *named))) {
            let entry = TABLE.iter().find(|entry| entry.id == id && entry.works_on(pane.screen()));
            assert!(entry.is_some() && !word.is_empty(), "{pane:?}: {id}");
        }
    }
}
