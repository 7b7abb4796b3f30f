//! The panes beside the order: the step and its reason, its changes, its dependents.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::State;
use super::against;
use super::changes::{self, Body};
use super::compared;
use super::live::{self, Phase};
use super::order;
use super::redo::Picked;
use super::rows::Row;
use super::summary;
use crate::diag;
use crate::engine::message::{Pause, TurnState};
use crate::graph::ResourceId;
use crate::plan::policy::Rule;
use crate::plan::{Action, Certainty, Reversible, Step};
use crate::session::next_step::{self, Follows, is_command};
use crate::tui::look::{Look, Role, action_word};
use crate::tui::screen::Pane;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};

/// The index of a pane's scroll position.
pub(super) fn slot(pane: Pane) -> usize {
    match pane {
        Pane::What => 0,
        Pane::Changes => 1,
        Pane::Then => 2,
        _ => 3,
    }
}

pub(super) fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    let focused = tui.cx.focus() == pane;
    let body = body(tui, pane, usize::from(area.width.saturating_sub(2)));
    let height = usize::from(area.height.saturating_sub(2));
    let list = &tui.screens.step.shows.panes[slot(pane)];
    let title = title(tui, pane);
    let scroll = list.extent(body.len(), height);
    let inner = frame::draw(buf, area, &tui.cx.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    list::draw_cut(buf, inner, &tui.cx.look, 0, &body.window(list.offset..list.offset + height, &tui.cx.look));
}

fn title(tui: &Tui, pane: Pane) -> String {
    if tui.cx.cannot_plan(&tui.screens.step) {
        return "Errors".into();
    }
    if tui.screens.step.shows.summary {
        if tui.screens.step.shows.whole_diff {
            return "The whole plan".into();
        }
        if tui.screens.step.shows.compared.is_some() {
            return "Comparison".into();
        }
        if let Some(against) = &tui.screens.step.shows.against {
            return format!("Since deploy {}", against.deploy);
        }
        if let (Some(deploy), true) = (tui.screens.step.live.deploy, tui.screens.step.live.shows_live()) {
            let is_end = tui.screens.step.finished || tui.screens.step.live.phase == Phase::Over;
            return if is_end { format!("End of deploy {deploy}") } else { format!("Deploy {deploy}, live") };
        }
        if tui.screens.step.finished {
            return "End of the dry run".into();
        }
        let id = tui.screens.step.plan.as_ref().map(|plan| plan.plan.chars().take(8).collect::<String>());
        return format!("Plan {}", text::safe(&id.unwrap_or_default()));
    }
    match pane {
        Pane::Changes => format!("current {} desired", tui.cx.look.glyphs.arrow),
        Pane::Then => "effect".into(),
        _ => {
            let id = tui.screens.step.cursor_id();
            let is_next = id.is_some() && id == tui.screens.step.next_id() && !tui.screens.step.running;
            let mark = if is_next { format!("{} ", tui.cx.look.glyphs.next) } else { String::new() };
            format!("{mark}{}", id.map(ToString::to_string).unwrap_or_default())
        }
    }
}

/// The content of a pane.
pub(super) fn body(tui: &Tui, pane: Pane, width: usize) -> Body {
    let mut body = Body::new(tui.cx.compared.diff_view, width);
    if tui.cx.cannot_plan(&tui.screens.step) {
        body.push(excerpts(tui));
        return body;
    }
    if tui.screens.step.shows.summary {
        match (&tui.screens.step.shows.against, tui.screens.step.shows.whole_diff) {
            (_, true) => whole_diff(tui, &mut body),
            _ if let Some(document) = &tui.screens.step.shows.compared => {
                body.push(compared::lines(tui, document, width))
            }
            (Some(against), _) => body.push(against::lines(tui, against, width)),
            (None, _) => body.push(summary::summary(tui, width)),
        }
        return body;
    }
    if let Some((name, steps)) = tui.screens.step.list.rows.folds.group(tui.screens.step.list.cursor()) {
        let words = [text::safe(name), format!("{} steps folded; Enter unfolds", steps.len())];
        body.push(words.map(Line::raw).to_vec());
        return body;
    }
    let Some(row) = tui.screens.step.list.rows.shown(tui.screens.step.list.cursor()) else { return body };
    let Some(step) = tui.screens.step.step_of(&row.id) else { return body };
    match pane {
        Pane::What => body.push(what(tui, row, step, width)),
        Pane::Changes => changes::changes(&tui.cx, step, &mut body),
        Pane::Then => body.push(then(tui, row, step, width)),
        _ => {
            let arrow = tui.cx.look.glyphs.arrow;
            body.push(what(tui, row, step, width));
            body.push(vec![heading(&tui.cx.look, &format!("current {arrow} desired"))]);
            changes::changes(&tui.cx, step, &mut body);
            body.push(vec![heading(&tui.cx.look, "effect")]);
            body.push(then(tui, row, step, width));
        }
    }
    body
}

/// The errors that prevent a plan, each with its excerpt.
fn excerpts(tui: &Tui) -> Vec<Line<'static>> {
    /// The others are on Code.
    const MOST: usize = 20;
    let mut lines = Vec::new();
    for (program, problem) in
        tui.cx.programs.newest.iter().flat_map(|program| program.errors().map(move |one| (program, one))).take(MOST)
    {
        let drawn = diag::text(&problem.diagnostic, &program.sources, false);
        for (at, line) in drawn.lines().enumerate() {
            let role = if at == 0 { Role::Error } else { Role::Text };
            lines.push(Line::styled(text::safe(line), tui.cx.look.style(role)));
        }
        lines.push(Line::raw(""));
    }
    lines
}

/// What the plan changes, step by step.
fn whole_diff(tui: &Tui, body: &mut Body) {
    let look = &tui.cx.look;
    for step in tui.screens.step.plan.iter().flat_map(|plan| &plan.steps).filter(|step| !super::is_idle(step)) {
        let (letter, style) = look.action(step.action);
        body.push(vec![Line::from(vec![
            Span::styled(format!("{letter} "), style),
            Span::styled(step.resource.to_string(), look.style(Role::Strong)),
        ])]);
        changes::changes(&tui.cx, step, body);
        body.push(vec![Line::raw("")]);
    }
}

fn heading(look: &Look, words: &str) -> Line<'static> {
    let dash = look.glyphs.horizontal;
    Line::styled(format!("{dash} {words} {dash}"), look.style(Role::Dim))
}

/// A named value, with a hanging indent.
fn field(look: &Look, name: &str, words: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    const NAME: usize = 11;
    let room = width.saturating_sub(NAME).max(10);
    let wrapped: Vec<_> = words.split('\n').flat_map(|words| text::wrap(words, room)).collect();
    let line = |(at, words): (usize, String)| {
        let name = if at == 0 { name } else { "" };
        Line::from(vec![Span::styled(format!("{name:<NAME$}"), look.style(Role::Dim)), Span::styled(words, style)])
    };
    wrapped.into_iter().enumerate().map(line).collect()
}

/// The next step, its source, and why it is next.
fn what(tui: &Tui, row: &Row, step: &Step, width: usize) -> Vec<Line<'static>> {
    let look = &tui.cx.look;
    let plain = look.style(Role::Text);
    let (letter, style) = look.action(step.action);
    let count = step.changes.len();
    let mut head = vec![match row.state == TurnState::Waiting && !step.acts() {
        false => Span::styled(format!("{letter} {}", action_word(step.action)), style),
        true => {
            let (glyph, words, role) = match &step.error {
                Some(_) => (look.glyphs.failed, "would fail", Role::Failed),
                None => (look.glyphs.blocked, "would be blocked", Role::Blocked),
            };
            Span::styled(format!("{glyph} {words}"), look.style(role))
        }
    }];
    if count > 0 && !is_command(step) {
        let noun = if count == 1 { "property" } else { "properties" };
        head.push(Span::styled(format!("  {count} {noun}"), look.style(Role::Dim)));
    }
    let error = tui.screens.step.failure_of(&row.id).filter(|_| row.state == TurnState::Waiting);
    if error.is_none() && !(step.is_blocked() && row.state == TurnState::Waiting) {
        let certainty = tui.screens.step.certainty(row, step);
        let (mark, word, certain) = look.certainty(certainty);
        // After a failed step, an apply would not make it more certain.
        if certainty != Certainty::Known && !matches!(row.state, TurnState::Failed { .. }) {
            head.push(Span::styled(format!("  {mark} {word}"), certain));
        }
    }
    let mut lines = vec![Line::from(head)];
    if let Some((name, error)) = error {
        lines.extend(field(&tui.cx.look, name, &text::safe(error), look.style(Role::Failed), width));
    }
    if let Some(words) = tui.screens.step.stale.words(&row.id) {
        let words = format!("{}, since the plan; Ctrl-r re-checks", text::safe(words));
        lines.extend(field(&tui.cx.look, "stale", &words, look.style(Role::Warning), width));
    }
    if let Some(place) = &step.source {
        let container = tui.screens.step.program().and_then(|program| {
            let resource = program.graph.resource(program.graph.find(&row.id)?)?;
            Some(resource.container.iter().map(|name| text::safe(name)).collect::<Vec<_>>().join(" / "))
        });
        let inside = container.filter(|names| !names.is_empty()).map(|names| format!("  in {names}"));
        lines.extend(field(&tui.cx.look, "from", &format!("{place}{}", inside.unwrap_or_default()), plain, width));
    }
    let (name, words, style) = why(tui, row, step);
    lines.extend(field(&tui.cx.look, name, &words, style, width));
    if tui.screens.step.is_open_at_end() && tui.screens.step.cursor_failed() {
        lines.extend(field(&tui.cx.look, "stopped", &live::open::stopped(tui), plain, width));
    }
    let refreshes = tui.screens.step.list.rows.refreshes(row).words().filter(|_| row.state == TurnState::Waiting);
    if let Some(words) = refreshes {
        let words = format!("{} {words}", look.glyphs.refresh);
        lines.extend(field(&tui.cx.look, "refresh", &words, look.style(Role::Refresh), width));
    }
    if !step.note.is_empty() {
        lines.extend(field(&tui.cx.look, "note", &text::safe(&step.note), look.style(Role::Unknown), width));
    }
    for violation in tui.screens.step.violations(&row.id) {
        let (name, role) = match violation.rule {
            Rule::Deny => ("denied", Role::Failed),
            Rule::Warn => ("policy", Role::Warning),
        };
        let words = format!("{} (`{}`, {})", violation.message, violation.when, violation.by);
        lines.extend(field(&tui.cx.look, name, &text::safe(&words), look.style(role), width));
    }
    let role = if step.reversible == Reversible::Yes { Role::Text } else { Role::Warning };
    let words = next_step::reversible_word(step.reversible);
    if !matches!(step.action, Action::None) && step.error.is_none() {
        lines.extend(field(&tui.cx.look, "reversible", words, look.style(role), width));
    }
    lines
}

/// Why it is next, what it waits for, or how it ended.
fn why(tui: &Tui, row: &Row, step: &Step) -> (&'static str, String, Style) {
    let look = &tui.cx.look;
    let state = &tui.screens.step;
    let plain = look.style(Role::Text);
    match &row.state {
        TurnState::Done => {
            let before = done_before(tui, row, Some(step))
                .map(|deploy| format!("in deploy {deploy}; still unchanged, checked "));
            let words = format!("{}in {}", before.unwrap_or_default(), order::row_elapsed(row));
            ("done", words, look.style(Role::Good))
        }
        TurnState::Failed { error, .. } => ("failed", text::safe_lines(error), look.style(Role::Failed)),
        TurnState::Skipped => ("skipped", "r retries it".into(), plain),
        TurnState::Blocked { by } => ("blocked", format!("by {by}"), look.style(Role::Blocked)),
        TurnState::Running if row.more.is_cut_off => {
            let words =
                "the apply process was killed during this step; its effects are unknown. I inspect, R resume, u undo";
            ("interrupted", words.into(), look.style(Role::Failed))
        }
        TurnState::Running => ("running", look.glyphs.running.into(), look.style(Role::Active)),
        TurnState::Waiting => {
            let Some((program, node)) = tui.screens.step.program().and_then(|it| Some((it, it.graph.find(&row.id)?)))
            else {
                return ("later", "its place in the order".into(), plain);
            };
            let way = (&*program.graph, &*program.ways);
            if state.next_id() == Some(&row.id) {
                let by_rule = next_step::why_next(way, node, state.list.rows.run.ready.len(), chosen(state, row));
                let how = stopped_by(state).map(|how| format!("; {how}"));
                ("why next", format!("{by_rule}{}", how.unwrap_or_default()), plain)
            } else if state.list.rows.run.ready.contains(&row.id) {
                ("ready", format!("{}; m makes this step next", next_step::needs_are_done(way, node)), plain)
            } else {
                let is_open =
                    |id: &ResourceId| state.list.rows.find(id).is_some_and(|row| row.state != TurnState::Done);
                (
                    "waits for",
                    next_step::waits_for(way, node, is_open).unwrap_or_else(|| "its place in the order".into()),
                    plain,
                )
            }
        }
    }
}

/// The earlier deploy that applied a resource, if nothing is left to do for it.
pub(super) fn done_before(tui: &Tui, row: &Row, step: Option<&Step>) -> Option<u64> {
    let is_right = step.is_some_and(|step| step.action == Action::None && step.error.is_none());
    tui.screens.step.live.done_before(&row.id).filter(|_| is_right && tui.screens.step.live.phase != Phase::Dry)
}

/// What stopped the run before a resource, other than the order.
fn stopped_by(state: &State) -> Option<&'static str> {
    match state.list.rows.run.why {
        Some(Pause::Breakpoint) => Some("a breakpoint stops here"),
        Some(Pause::Cursor) if state.watch.brought(state.list.rows.turned(), state.next_id()) => {
            Some("it was changed outside workbench")
        }
        Some(Pause::Cursor) => Some("you ran to this step"),
        _ => None,
    }
}

/// How it became next, if not by the order; `None` if the order agrees, and the user did not pick it.
fn chosen(state: &State, row: &Row) -> Option<&'static str> {
    let picked = state.cursor.picked.as_ref().filter(|(id, _)| *id == row.id).map(|(_, picked)| *picked);
    match (picked, &state.list.rows.run.why) {
        (Some(Picked::ByHand), _) => Some(Picked::ByHand.words()),
        (_, Some(Pause::SteppedBack)) => Some("you stepped back to it"),
        _ if state.cursor.is_first => None,
        (Some(picked), _) => Some(picked.words()),
        // By the process that was attached before.
        (None, _) => Some("you selected it"),
    }
}

/// The effects of this step, and of skipping it.
fn then(tui: &Tui, row: &Row, step: &Step, width: usize) -> Vec<Line<'static>> {
    let look = &tui.cx.look;
    let plain = look.style(Role::Text);
    let mut lines = Vec::new();
    let would_fail = step.error.is_some() && row.state == TurnState::Waiting;
    let live = tui.screens.step.live.shows_live();
    let writes = match step.action {
        _ if matches!(row.state, TurnState::Failed { .. }) => before_it_failed(&tui.screens.step, row, step),
        Action::None => "nothing".to_string(),
        _ if would_fail => "unknown: it would fail".to_string(),
        _ if is_command(step) => {
            let done = match (row.state == TurnState::Done, live) {
                (false, true) => "runs a command",
                (false, false) => "would run a command (dry run)",
                (true, true) => "ran a command",
                (true, false) => "would run a command (dry run)",
            };
            format!("{done} (effects unknown)")
        }
        _ => {
            let properties = count(step.changes.len(), "property", "properties");
            if live {
                format!("{properties} on this machine")
            } else {
                format!("nothing (dry run); apply writes {properties}")
            }
        }
    };
    lines.extend(field(&tui.cx.look, "writes", &writes, plain, width));
    if let Some(words) = next_step::notifies(step, |id| tui.screens.step.list.rows.find(id).is_some()) {
        let words = match row.state {
            TurnState::Failed { .. } => "nothing yet (the step failed)".to_string(),
            _ => format!("{} {words}", look.glyphs.refresh),
        };
        lines.extend(field(&tui.cx.look, "notifies", &words, look.style(Role::Refresh), width));
    }
    let Some(program) = tui.screens.step.program() else { return lines };
    let Some(node) = program.graph.find(&row.id) else { return lines };
    if row.state != TurnState::Waiting {
        return lines;
    }
    let state_of = |id: &ResourceId| tui.screens.step.list.rows.find(id).map(|row| &row.state);
    let mut follows = Follows::of((&program.graph, &program.ways), (node, step), state_of);
    follows.refresh |= tui.screens.step.list.rows.refreshes(row).queued > 0;
    let unblocks = match follows.blocked.len() {
        _ if step.error.is_some() => follows.unblocks(),
        1 if follows.freed.is_empty() => "nothing yet (1 also waits for others)".into(),
        more @ 2.. if follows.freed.is_empty() => format!("nothing yet ({more} also wait for others)"),
        _ => follows.unblocks(),
    };
    lines.extend(field(&tui.cx.look, "unblocks", &unblocks, plain, width));
    let name = if would_fail { "on failure" } else { "if skipped" };
    lines.extend(field(&tui.cx.look, name, &follows.blocks(step), plain, width));
    lines
}

/// What is known of the effects of a failed step.
fn before_it_failed(state: &State, row: &Row, step: &Step) -> String {
    let is_undone = matches!(row.state, TurnState::Failed { is_undone: true, .. });
    match state.live.shows_live() {
        false => "nothing (dry run)".into(),
        true if is_undone => "applied, but the change did not last".into(),
        true if step.resource.0.starts_with("exec[") => "effects before the failure are unknown".into(),
        true => "may be incomplete; History (5) shows what was written".into(),
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
