//! The panes beside the order: what and why next, what changes, what follows; or the plan's summary.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::live::{self, Phase};
use super::rows::{self, Row};
use crate::engine::message::{Pause, TurnState};
use crate::graph::{ResourceId, Value};
use crate::plan::{Action, Change, Reversible, Step};
use crate::tui::look::{Role, action_word};
use crate::tui::screen::Pane;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{diff, list, text, value};

/// Which scroll position a pane has.
pub(super) fn slot(pane: Pane) -> usize {
    match pane {
        Pane::What => 0,
        Pane::Changes => 1,
        Pane::Then => 2,
        _ => 3,
    }
}

pub(super) fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    let focused = tui.focus() == pane;
    let lines = lines(tui, pane, usize::from(area.width.saturating_sub(2)));
    let height = usize::from(area.height.saturating_sub(2));
    let list = &tui.step.panes[slot(pane)];
    let title = title(tui, pane);
    let scroll = list.extent(lines.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    list::draw_text(buf, inner, list.offset, &lines);
}

fn title(tui: &Tui, pane: Pane) -> String {
    if tui.step.summary {
        if let (Some(deploy), true) = (tui.step.live.deploy, tui.step.live.shows_live()) {
            let is_end = tui.step.finished || tui.step.live.phase == Phase::Over;
            return if is_end { format!("End of deploy {deploy}") } else { format!("Deploy {deploy}, live") };
        }
        if let Some(deploy) = tui.step.replays {
            return format!("Deploy {deploy}");
        }
        if tui.step.finished {
            return "End of the dry run".into();
        }
        let id = tui.step.plan.as_ref().map(|plan| plan.plan.chars().take(8).collect::<String>());
        return format!("Plan {}", text::safe(&id.unwrap_or_default()));
    }
    match pane {
        Pane::Changes => format!("current {} desired", tui.look.glyphs.arrow),
        Pane::Then => then_title(tui).into(),
        _ => {
            let id = tui.step.cursor_id();
            let is_next = id.is_some() && id == tui.step.next.as_ref();
            let mark = if is_next { format!("{} ", tui.look.glyphs.next) } else { String::new() };
            format!("{mark}{}", id.map(ToString::to_string).unwrap_or_default())
        }
    }
}

/// What follows is told of the future, or of the past.
fn then_title(tui: &Tui) -> &'static str {
    let row = tui.step.rows.shown(tui.step.list.cursor);
    if tui.step.is_past() {
        return "what came of it";
    }
    if row.is_some_and(|row| row.state == TurnState::Done) { "what it did" } else { "if you step" }
}

/// The lines of a pane.
pub(super) fn lines(tui: &Tui, pane: Pane, width: usize) -> Vec<Line<'static>> {
    if tui.step.summary {
        return summary(tui, width);
    }
    let Some(row) = tui.step.rows.shown(tui.step.list.cursor) else { return vec![] };
    let Some(step) = tui.step.step_of(&row.id) else { return vec![] };
    match pane {
        Pane::What => what(tui, row, step, width),
        Pane::Changes => changes(tui, step, width),
        Pane::Then => then(tui, row, step, width),
        _ => {
            let arrow = tui.look.glyphs.arrow;
            let mut lines = what(tui, row, step, width);
            lines.push(heading(tui, &format!("current {arrow} desired")));
            lines.extend(changes(tui, step, width));
            lines.push(heading(tui, then_title(tui)));
            lines.extend(then(tui, row, step, width));
            lines
        }
    }
}

fn heading(tui: &Tui, words: &str) -> Line<'static> {
    let dash = tui.look.glyphs.horizontal;
    Line::styled(format!("{dash} {words} {dash}"), tui.look.style(Role::Dim))
}

/// A named value, wrapped under itself.
fn field(tui: &Tui, name: &str, words: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    const NAME: usize = 11;
    let wrapped = text::wrap(words, width.saturating_sub(NAME).max(10));
    let line = |(at, words): (usize, String)| {
        let name = if at == 0 { name } else { "" };
        Line::from(vec![Span::styled(format!("{name:<NAME$}"), tui.look.style(Role::Dim)), Span::styled(words, style)])
    };
    wrapped.into_iter().enumerate().map(line).collect()
}

/// What stands next, where it comes from, and why its turn is now.
fn what(tui: &Tui, row: &Row, step: &Step, width: usize) -> Vec<Line<'static>> {
    let look = &tui.look;
    let plain = look.style(Role::Text);
    let (letter, style) = look.action(step.action);
    let count = step.changes.len();
    let mut head = vec![Span::styled(format!("{letter} {}", action_word(step.action)), style)];
    if count > 0 {
        let noun = if count == 1 { "property" } else { "properties" };
        head.push(Span::styled(format!("  {count} {noun}"), look.style(Role::Dim)));
    }
    let (mark, word, certain) = look.certainty(step.certainty);
    head.push(Span::styled(format!("  {mark} {word}"), certain));
    let mut lines = vec![Line::from(head)];
    if let Some(place) = &step.source {
        let container = tui.step.program().and_then(|program| {
            let resource = program.graph.resource(program.graph.find(&row.id)?)?;
            Some(resource.container.iter().map(|name| text::safe(name)).collect::<Vec<_>>().join(" / "))
        });
        let inside = container.filter(|names| !names.is_empty()).map(|names| format!("  in {names}"));
        lines.extend(field(tui, "from", &format!("{place}{}", inside.unwrap_or_default()), plain, width));
    }
    let (name, words, style) = why(tui, row, step);
    lines.extend(field(tui, name, &words, style, width));
    if !step.note.is_empty() {
        lines.extend(field(tui, "note", &text::safe(&step.note), look.style(Role::Unknown), width));
    }
    if tui.step.is_past() {
        return lines;
    }
    let (words, role) = match step.reversible {
        Reversible::Yes => ("yes", Role::Text),
        Reversible::Partly => ("partly", Role::Warning),
        Reversible::No => ("no", Role::Warning),
    };
    if !matches!(step.action, Action::None) {
        lines.extend(field(tui, "reversible", words, look.style(role), width));
    }
    lines
}

/// Why its turn is now, or what it waits for, or how its turn went.
fn why(tui: &Tui, row: &Row, step: &Step) -> (&'static str, String, Style) {
    let look = &tui.look;
    let state = &tui.step;
    let plain = look.style(Role::Text);
    match &row.state {
        TurnState::Done => ("done", format!("in {}", rows::row_elapsed(row)), look.style(Role::Good)),
        TurnState::Failed { error, .. } => ("failed", text::safe(error), look.style(Role::Failed)),
        TurnState::Skipped if state.is_past() => ("skipped", "it was left out".into(), plain),
        TurnState::Skipped => ("skipped", "r looks again and makes it next".into(), plain),
        TurnState::Blocked { by } => ("blocked", format!("by {by}, which it needs"), look.style(Role::Blocked)),
        TurnState::Running => ("running", look.glyphs.running.into(), look.style(Role::Active)),
        TurnState::Waiting if state.is_past() && state.next.as_ref() == Some(&row.id) => {
            ("next", "s or l shows what came of it".into(), plain)
        }
        TurnState::Waiting if state.is_past() => ("later", "its turn came after those above".into(), plain),
        TurnState::Waiting => {
            let needs = step.because.len();
            let done = match needs {
                0 => "it needs nothing".to_string(),
                1 => "its requirement is met".to_string(),
                _ => format!("its {needs} requirements are met"),
            };
            if state.next.as_ref() == Some(&row.id) {
                let how = match state.why {
                    Some(Pause::Breakpoint) => "a breakpoint stops here",
                    Some(Pause::Cursor) => "the cursor was here",
                    Some(Pause::SteppedBack) => "its step was taken back",
                    _ if state.ready.len() < 2 => "nothing else is ready",
                    _ => "first in order of those that are ready",
                };
                ("why next", format!("{done}; {how}"), plain)
            } else if state.ready.contains(&row.id) {
                ("ready", format!("{done}; Enter makes it next"), plain)
            } else {
                ("waits for", waits_for(tui, step), plain)
            }
        }
    }
}

fn waits_for(tui: &Tui, step: &Step) -> String {
    let open = |id: &&ResourceId| tui.step.rows.find(id).is_some_and(|row| row.state != TurnState::Done);
    let missing: Vec<_> = step.because.iter().filter(open).collect();
    if missing.is_empty() { "its turn".into() } else { some_of(&missing, 3) }
}

/// The first few names, and how many more.
fn some_of(ids: &[&ResourceId], most: usize) -> String {
    let mut words: Vec<String> = ids.iter().take(most).map(ToString::to_string).collect();
    if ids.len() > most {
        words.push(format!("and {} more", ids.len() - most));
    }
    words.join(", ")
}

/// Property by property: what is, and what will be.
fn changes(tui: &Tui, step: &Step, width: usize) -> Vec<Line<'static>> {
    let look = &tui.look;
    let dim = look.style(Role::Dim);
    if step.changes.is_empty() {
        let words = match step.action {
            Action::None if step.refresh => "in sync; only its refresh is owed",
            Action::None => "in sync: nothing to change",
            Action::Run => "runs; what it does to the machine is known at apply",
            Action::Unknown => "known at apply",
            _ => "no single property to show",
        };
        return vec![Line::styled(words, dim)];
    }
    step.changes.iter().flat_map(|change| change_lines(tui, change, width)).collect()
}

/// One property: what is, and what will be.
pub fn change_lines(tui: &Tui, change: &Change, width: usize) -> Vec<Line<'static>> {
    let look = &tui.look;
    let name = text::safe(&change.property);
    if change.sensitive {
        return vec![Line::raw(format!("{name:<10} (secret) {} (secret)", look.glyphs.arrow))];
    }
    let (from, to) = (change.from.as_ref(), change.to.as_ref());
    let is_long = |side: Option<&Value>| side.is_some_and(|value| value::several_lines(value).is_some());
    if is_long(from) || is_long(to) {
        let plain = |side: Option<&Value>| side.and_then(Value::as_str).unwrap_or_default().to_string();
        let mut lines = vec![Line::styled(name, look.style(Role::Strong))];
        lines.extend(diff::lines(&diff::compare(&plain(from), &plain(to)), look));
        return lines;
    }
    let show = |side: Option<&Value>| side.map_or_else(|| look.glyphs.dash.to_string(), value::short);
    let (from, to) = (show(from), show(to));
    let head = Span::styled(format!("{name:<10} "), look.style(Role::Strong));
    let arrow = format!(" {} ", look.glyphs.arrow);
    let (gone, new) = (look.style(Role::Gone), look.style(Role::New));
    if text::width(&name).max(10) + 4 + text::width(&from) + text::width(&to) <= width {
        return vec![Line::from(vec![head, Span::styled(from, gone), Span::raw(arrow), Span::styled(to, new)])];
    }
    let mut lines = vec![Line::from(head)];
    for (mark, words, style) in [("- ", from, gone), ("+ ", to, new)] {
        for (at, line) in text::wrap(&words, width.saturating_sub(2)).into_iter().enumerate() {
            lines.push(Line::styled(format!("{}{line}", if at == 0 { mark } else { "  " }), style));
        }
    }
    lines
}

/// What follows from this step, and from leaving it out.
fn then(tui: &Tui, row: &Row, step: &Step, width: usize) -> Vec<Line<'static>> {
    let look = &tui.look;
    let plain = look.style(Role::Text);
    let mut lines = Vec::new();
    if tui.step.is_past() {
        return came_of(tui, row, step, width);
    }
    let writes = match step.action {
        Action::None => "nothing".to_string(),
        _ => {
            let live = tui.step.live.shows_live();
            let place = if live { "on this machine" } else { "here; dry: only into the overlay" };
            format!("{} {place}", count(step.changes.len(), "property", "properties"))
        }
    };
    lines.extend(field(tui, "writes", &writes, plain, width));
    if !step.notifies.is_empty() {
        let ids: Vec<_> = step.notifies.iter().collect();
        let words = format!("{} {}", look.glyphs.refresh, some_of(&ids, 3));
        let words = if step.action == Action::None { format!("{words} (only if it changes)") } else { words };
        lines.extend(field(tui, "notifies", &words, look.style(Role::Refresh), width));
    }
    let Some(program) = tui.step.program() else { return lines };
    let Some(node) = program.graph.find(&row.id) else { return lines };
    if row.state != TurnState::Waiting {
        return lines;
    }
    let freed = freed(tui, row);
    let words =
        if freed.is_empty() { "nothing new".to_string() } else { some_of(&freed.iter().collect::<Vec<_>>(), 3) };
    lines.extend(field(tui, "unblocks", &words, plain, width));
    let is_right = step.action == Action::None;
    let blocked = if is_right { vec![] } else { super::waiting_dependents(&tui.step, program, node) };
    let words = match blocked.len() {
        0 if is_right => "blocks nothing: it is right already".to_string(),
        0 => "blocks nothing".to_string(),
        n => format!("blocks {n}: {}", some_of(&blocked.iter().collect::<Vec<_>>(), 2)),
    };
    lines.extend(field(tui, "skipping", &words, plain, width));
    lines
}

/// How a turn of the past went.
fn came_of(tui: &Tui, row: &Row, step: &Step, width: usize) -> Vec<Line<'static>> {
    let look = &tui.look;
    let plain = look.style(Role::Text);
    let (words, style) = match &row.state {
        TurnState::Waiting | TurnState::Running => ("not yet".to_string(), look.style(Role::Dim)),
        TurnState::Done => (format!("{} {}", look.glyphs.done, action_word(step.action)), look.style(Role::Good)),
        TurnState::Failed { error, .. } => (text::safe(error), look.style(Role::Failed)),
        TurnState::Skipped => ("left out".into(), look.style(Role::Skipped)),
        TurnState::Blocked { by } => (format!("blocked by {by}"), look.style(Role::Blocked)),
    };
    let mut lines = field(tui, "outcome", &words, style, width);
    if !matches!(row.state, TurnState::Waiting | TurnState::Running) {
        lines.extend(field(tui, "took", &rows::row_elapsed(row), plain, width));
    }
    lines
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// What waits for this resource alone.
fn freed(tui: &Tui, row: &Row) -> Vec<ResourceId> {
    let state = &tui.step;
    let Some(program) = state.program() else { return vec![] };
    let Some(node) = program.graph.find(&row.id) else { return vec![] };
    let edges = program.graph.edges();
    let is_open = |id: &ResourceId| state.rows.find(id).is_some_and(|row| row.state != TurnState::Done);
    let mut freed: Vec<ResourceId> = program.needed_by[node.0 as usize]
        .iter()
        .map(|edge| edges[*edge as usize].to)
        .filter(|next| {
            let needs = program.needs[next.0 as usize].iter().map(|edge| edges[*edge as usize].from);
            needs.filter(|need| *need != node).all(|need| !is_open(program.id(need)))
        })
        .map(|next| program.id(next).clone())
        .collect();
    freed.dedup();
    freed
}

/// The plan in one look: what is destroyed first, then what changes, then what comes.
fn summary(tui: &Tui, width: usize) -> Vec<Line<'static>> {
    let Some(plan) = &tui.step.plan else { return vec![] };
    let look = &tui.look;
    let dim = look.style(Role::Dim);
    let sums = &tui.step.rows.summary;
    let changing = sums.create + sums.change + sums.replace + sums.remove + sums.run;
    let mut lines = Vec::new();
    if changing + sums.unknown + sums.refresh == 0 && plan.steps.iter().all(|step| step.error.is_none()) {
        let words = format!("In sync: {0} of {0} checked, 0 changes", plan.steps.len());
        lines.push(Line::styled(words, look.style(Role::Good)));
    } else {
        let told = match tui.step.live.shows_live() {
            true => {
                let is_done = |id: &&ResourceId| tui.step.rows.find(id).is_some_and(|row| row.state == TurnState::Done);
                format!("{} changed   ", tui.step.live.changed().iter().filter(is_done).count())
            }
            false if tui.step.is_past() => format!("{changing} of {} changed   ", plan.steps.len()),
            false => format!("{changing} of {} would change   ", plan.steps.len()),
        };
        let mut spans = vec![Span::raw(told)];
        for (words, style) in super::counts(look, sums) {
            spans.push(Span::styled(words, style));
            spans.push(Span::raw(" "));
        }
        lines.push(Line::from(spans));
    }
    let failing: Vec<_> = plan.steps.iter().filter(|step| step.error.is_some()).collect();
    let waiting = tui.step.rows.total() - tui.step.rows.turned();
    if tui.step.live.phase == Phase::Over && waiting > 0 {
        lines.push(Line::styled(format!("{waiting} not reached"), look.style(Role::Warning)));
    }
    if !failing.is_empty() {
        lines.push(Line::styled(format!("{} would fail", failing.len()), look.style(Role::Error)));
    }
    if sums.unknown > 0 {
        lines.push(Line::styled(format!("{} known only at apply", sums.unknown), look.style(Role::Unknown)));
    }
    lines.push(Line::raw(""));
    const MOST: usize = 200;
    let trouble = |id: &ResourceId, glyph: &str, style: Style, words: &str| {
        let words = format!("{id}  {}", text::safe(words));
        let words = text::fit(&words, width.saturating_sub(2), look.glyphs.cut).into_owned();
        Line::from(vec![Span::styled(format!("{glyph} "), style), Span::raw(words)])
    };
    // Once they had their turn, they stand among the troubled.
    for step in failing.into_iter().filter(|_| !tui.step.has_turned()).take(MOST) {
        let error = step.error.clone().unwrap_or_default();
        let words = format!("would fail: {error}");
        let (glyph, style) = look.turn(&TurnState::Failed { error, is_undone: false });
        lines.push(trouble(&step.resource, glyph, style, &words));
    }
    for row in tui.step.rows.troubled().take(MOST) {
        let (glyph, style) = look.turn(&row.state);
        let words = match &row.state {
            TurnState::Failed { error, .. } => format!("failed: {error}"),
            TurnState::Blocked { by } => format!("blocked by {by}"),
            _ => "skipped".into(),
        };
        lines.push(trouble(&row.id, glyph, style, &words));
    }
    for action in [Action::Remove, Action::Replace, Action::Change, Action::Create, Action::Run, Action::Unknown] {
        let steps: Vec<_> = plan.steps.iter().filter(|step| step.action == action).collect();
        let (letter, style) = look.action(action);
        if !steps.is_empty() {
            lines.push(Line::styled(format!("{letter} {} {}", action_word(action), steps.len()), style));
        }
        for step in steps.iter().take(MOST) {
            let words = step.changes.iter().map(|change| text::safe(&change.property)).collect::<Vec<_>>().join(" ");
            let room = width.saturating_sub(4 + text::width(&words).min(width / 3));
            let name = super::name(&step.resource, room, look);
            let left = width.saturating_sub(6 + text::width(&name));
            let words = text::fit(&words, left, look.glyphs.cut).into_owned();
            lines.push(Line::from(vec![Span::raw(format!("    {name}  ")), Span::styled(words, dim)]));
        }
        if steps.len() > MOST {
            lines.push(Line::styled(format!("    and {} more", steps.len() - MOST), dim));
        }
    }
    lines.push(Line::raw(""));
    if tui.step.live.shows_live() {
        let is_end = tui.step.finished || tui.step.live.phase == Phase::Over;
        let now = match tui.step.live.phase {
            _ if is_end => live::hints(tui),
            Phase::TakingBack => vec!["taking back…".into()],
            Phase::Beginning => vec!["taking the lock…".into()],
            _ => vec!["s applies one resource, c goes on; A was given: this is for real.".into()],
        };
        lines.extend(now.into_iter().map(|line| Line::styled(line, dim)));
        return lines;
    }
    if tui.step.is_past() {
        let words = "This is the past: nothing is done. s or l: on, h or Z: back, p plans anew.";
        lines.extend(text::wrap(words, width).into_iter().map(|line| Line::styled(line, dim)));
        return lines;
    }
    let hint = if tui.step.finished {
        "Nothing was written. Z steps back, p plans anew, A applies; or with:"
    } else {
        "s steps one resource, c continues; nothing is written. A goes live."
    };
    lines.push(Line::styled(hint, dim));
    if tui.step.finished {
        lines.push(Line::raw(format!("  workbench apply {}", tui.entry)));
    }
    lines
}
