//! The panes beside the order: the step and its reason, its changes, its dependents.

use crate::tui::{cx::Cx, screen::Pane, screen::step::PlanScreen, widget::field::Fields};
use ratatui::prelude::{Buffer, Line, Rect, Span, Style};

use super::changes::{self, Body};
use super::{State, against, compared, live, order, summary};
use super::{redo::Picked, rows::Row};
use crate::diag;
use crate::engine::message::{Pause, TurnState};
use crate::graph::ResourceId;
use crate::plan::policy::Rule;
use crate::plan::{Action, Certainty, Reversible, Step};
use crate::session::next_step::{self, Follows, is_command};
use crate::session::note_in_own_words;
use crate::tui::look::{Look, Role};
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

pub(super) fn view(screen: &PlanScreen, cx: &Cx, buf: &mut Buffer, pane: Pane, area: Rect) {
    let focused = cx.focus() == pane;
    let body = body(screen, cx, pane, usize::from(area.width.saturating_sub(2)));
    let height = usize::from(area.height.saturating_sub(2));
    let list = &screen.shows.panes[slot(pane)];
    let title = title(screen, cx, pane, usize::from(area.width.saturating_sub(4)));
    let scroll = list.extent(body.len(), height);
    let inner = frame::draw(buf, area, &cx.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
    list::draw_cut(buf, inner, &cx.look, 0, &body.window(list.offset..list.offset + height, &cx.look));
}

fn title(screen: &PlanScreen, cx: &Cx, pane: Pane, room: usize) -> String {
    if cx.cannot_plan(screen) {
        return "Errors".into();
    }
    if screen.shows.summary {
        if screen.shows.whole_diff {
            return "The whole plan".into();
        }
        if screen.shows.compared.is_some() {
            return "Comparison".into();
        }
        if let Some(against) = &screen.shows.against {
            return format!("Since deploy {}", against.deploy);
        }
        if let Some(deploy) = screen.phase.deploy() {
            let is_end = screen.is_finished() || screen.phase.ended().is_some();
            return if is_end { format!("End of deploy {deploy}") } else { format!("Deploy {deploy}, live") };
        }
        if screen.is_finished() {
            return "End of the dry run".into();
        }
        let id = screen.plan.as_ref().map(|plan| plan.plan.chars().take(8).collect::<String>());
        return format!("Plan {}", text::safe(&id.unwrap_or_default()));
    }
    match pane {
        Pane::Changes => format!("current {} desired", cx.look.glyphs.arrow),
        Pane::Then => "effect".into(),
        _ => {
            let id = screen.cursor_id();
            let is_next = id.is_some() && id == screen.next_id() && !screen.is_running();
            let mark = if is_next { format!("{} ", cx.look.glyphs.next) } else { String::new() };
            let room = room.saturating_sub(text::width(&mark));
            format!("{mark}{}", id.map(|id| super::name(id, room, &cx.look)).unwrap_or_default())
        }
    }
}

pub(super) fn body(screen: &PlanScreen, cx: &Cx, pane: Pane, width: usize) -> Body {
    let mut body = Body::new(cx.compared.diff_view, width);
    if cx.cannot_plan(screen) {
        body.push(excerpts(cx, width));
        return body;
    }
    if screen.shows.summary {
        match (&screen.shows.against, screen.shows.whole_diff) {
            (_, true) => whole_diff(screen, cx, &mut body),
            _ if let Some(document) = &screen.shows.compared => body.push(compared::lines(cx, document, width)),
            (Some(against), _) => body.push(against::lines(cx, against, width)),
            (None, _) => body.push(summary::summary(screen, cx, width)),
        }
        return body;
    }
    if let Some((name, steps)) = screen.list.rows.folds.group(screen.list.cursor()) {
        let words = [text::safe(name), format!("{} steps folded; Enter unfolds", steps.len())];
        body.push(words.map(Line::raw).to_vec());
        return body;
    }
    let Some(row) = screen.list.rows.shown(screen.list.cursor()) else { return body };
    let Some(step) = screen.step_of(&row.id) else { return body };
    match pane {
        Pane::What => body.push(what(screen, cx, row, step, width)),
        Pane::Changes => changes::changes(cx, step, &mut body),
        Pane::Then => body.push(then(screen, cx, row, step, width)),
        _ => {
            let arrow = cx.look.glyphs.arrow;
            body.push(what(screen, cx, row, step, width));
            body.push(vec![heading(&cx.look, &format!("current {arrow} desired"))]);
            changes::changes(cx, step, &mut body);
            body.push(vec![heading(&cx.look, "effect")]);
            body.push(then(screen, cx, row, step, width));
        }
    }
    body
}

/// The errors that prevent a plan, each with its excerpt.
fn excerpts(cx: &Cx, width: usize) -> Vec<Line<'static>> {
    /// The others are on Code.
    const MOST: usize = 20;
    let mut lines = Vec::new();
    for (program, problem) in
        cx.programs.newest.iter().flat_map(|program| program.errors().map(move |one| (program, one))).take(MOST)
    {
        let drawn = diag::text(&problem.diagnostic, &program.sources, false);
        for (at, line) in drawn.lines().enumerate() {
            let role = if at == 0 { Role::Error } else { Role::Text };
            let rows = excerpt_rows(&text::safe(line), width, cx.look.glyphs.cut);
            lines.extend(rows.into_iter().map(|row| Line::styled(row, cx.look.style(role))));
        }
        lines.push(Line::raw(""));
    }
    lines
}

/// A line of an excerpt: source and marks keep their columns, and the text after the marks is wrapped below them.
fn excerpt_rows(line: &str, width: usize, cut: &str) -> Vec<String> {
    let after_number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    if text::width(line) <= width {
        return vec![line.to_owned()];
    }
    if !after_number.starts_with('|') {
        return text::wrap_line(&Line::raw(line), width).iter().map(ToString::to_string).collect();
    }
    let (marks, label) = line.rfind('^').map_or((line, ""), |at| line.split_at(at + 1));
    let mut rows = vec![text::fit(marks, width, cut).into_owned()];
    if !label.trim().is_empty() {
        rows.extend(text::wrap(label.trim(), width.saturating_sub(4)).into_iter().map(|row| format!("    {row}")));
    }
    rows
}

/// What the plan changes, step by step.
fn whole_diff(screen: &PlanScreen, cx: &Cx, body: &mut Body) {
    let look = &cx.look;
    for step in screen.plan.iter().flat_map(|plan| &plan.steps).filter(|step| !super::is_idle(step)) {
        let (letter, style) = look.action(step.action);
        body.push(vec![Line::from(vec![
            Span::styled(format!("{letter} "), style),
            Span::styled(step.resource.to_string(), look.style(Role::Strong)),
        ])]);
        changes::changes(cx, step, body);
        body.push(vec![Line::raw("")]);
    }
}

fn heading(look: &Look, words: &str) -> Line<'static> {
    let dash = look.glyphs.horizontal;
    Line::styled(format!("{dash} {words} {dash}"), look.style(Role::Dim))
}

fn fields(cx: &Cx, width: usize) -> Fields<'_> {
    Fields { look: &cx.look, names: 11, width }
}

/// The next step, its source, and why it is next.
fn what(screen: &PlanScreen, cx: &Cx, row: &Row, step: &Step, width: usize) -> Vec<Line<'static>> {
    let (look, fields) = (&cx.look, fields(cx, width));
    let plain = look.style(Role::Text);
    let (letter, words, style) = super::sign(look, &row.state, step);
    let count = step.changes.len();
    let mut head = vec![Span::styled(format!("{letter} {words}"), style)];
    if count > 0 && !is_command(step) {
        let noun = if count == 1 { "property" } else { "properties" };
        head.push(Span::styled(format!("  {count} {noun}"), look.style(Role::Dim)));
    }
    let error = screen.failure_of(&row.id).filter(|_| row.state == TurnState::Waiting);
    if error.is_none() && !(step.is_blocked() && row.state == TurnState::Waiting) {
        let certainty = screen.certainty(row, step);
        let (mark, word, certain) = look.certainty(certainty);
        // After a failed step, an apply would not make it more certain.
        if certainty != Certainty::Known && !matches!(row.state, TurnState::Failed { .. }) {
            head.push(Span::styled(format!("  {mark} {word}"), certain));
        }
    }
    let mut lines = vec![Line::from(head)];
    if let Some((name, error)) = error {
        lines.extend(fields.text(name, &text::safe(error), look.style(Role::Failed)));
    }
    if let Some(words) = screen.stale.words(&row.id) {
        let words = format!("{}, since the plan; Ctrl-r re-checks", text::safe(words));
        lines.extend(fields.text("stale", &words, look.style(Role::Warning)));
    }
    if let Some(place) = &step.source {
        let container = screen.program().and_then(|program| {
            let resource = program.graph.resource(program.graph.find(&row.id)?)?;
            Some(resource.container.iter().map(|name| text::safe(name)).collect::<Vec<_>>().join(" / "))
        });
        let inside = container.filter(|names| !names.is_empty()).map(|names| format!("  in {names}"));
        lines.extend(fields.text("from", &format!("{place}{}", inside.unwrap_or_default()), plain));
    }
    let (name, words, style) = why(screen, cx, row, step);
    lines.extend(fields.text(name, &words, style));
    if screen.is_open_at_end() && screen.cursor_failed() {
        lines.extend(fields.text("stopped", &live::stopped(screen), plain));
    }
    let refreshes = screen.list.rows.refreshes(row).words().filter(|_| row.state == TurnState::Waiting);
    if let Some(words) = refreshes {
        let words = format!("{} {words}", look.glyphs.refresh);
        lines.extend(fields.text("refresh", &words, look.style(Role::Refresh)));
    }
    if !step.note.is_empty() {
        lines.extend(fields.text(
            "note",
            &text::safe(&note_in_own_words(&row.id, &step.note)),
            look.style(Role::Unknown),
        ));
    }
    for violation in screen.violations(&row.id) {
        let (name, role) = match violation.rule {
            Rule::Deny => ("denied", Role::Failed),
            Rule::Warn => ("policy", Role::Warning),
        };
        let words = format!("{} (`{}`, {})", violation.message, violation.when, violation.by);
        lines.extend(fields.text(name, &text::safe(&words), look.style(role)));
    }
    let role = if step.reversible == Reversible::Yes { Role::Text } else { Role::Warning };
    let words = next_step::reversible_word(step.reversible);
    if !matches!(step.action, Action::None) && step.error.is_none() {
        lines.extend(fields.text("reversible", words, look.style(role)));
    }
    lines
}

/// Why it is next, what it waits for, or how it ended.
fn why(screen: &PlanScreen, cx: &Cx, row: &Row, step: &Step) -> (&'static str, String, Style) {
    let look = &cx.look;
    let plain = look.style(Role::Text);
    match &row.state {
        TurnState::Done => {
            let before = done_before(screen, row, Some(step))
                .map(|deploy| format!("in deploy {deploy}; still unchanged, checked "));
            let words = format!("{}in {}", before.unwrap_or_default(), order::elapsed(row.elapsed_ms));
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
            let Some((program, node)) = screen.program().and_then(|it| Some((it, it.graph.find(&row.id)?))) else {
                return ("later", "its place in the order".into(), plain);
            };
            let way = (&*program.graph, &*program.ways);
            if screen.next_id() == Some(&row.id) {
                let by_rule = next_step::why_next(way, node, screen.list.rows.run.ready.len(), chosen(screen, row));
                let how = stopped_by(screen).map(|how| format!("; {how}"));
                ("why next", format!("{by_rule}{}", how.unwrap_or_default()), plain)
            } else if screen.list.rows.run.ready.contains(&row.id) {
                ("ready", format!("{}; m makes this step next", next_step::needs_are_done(way, node)), plain)
            } else {
                let is_open =
                    |id: &ResourceId| screen.list.rows.find(id).is_some_and(|row| row.state != TurnState::Done);
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
pub(super) fn done_before(screen: &PlanScreen, row: &Row, step: Option<&Step>) -> Option<u64> {
    let is_right = step.is_some_and(|step| step.action == Action::None && step.error.is_none());
    screen.phase.done_before(&row.id).filter(|_| is_right && !screen.phase.is_dry())
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
    let run = state.phase.run();
    let picked = run.and_then(|run| run.picked.as_ref()).filter(|(id, _)| *id == row.id).map(|(_, picked)| *picked);
    match (picked, &state.list.rows.run.why) {
        (Some(Picked::ByHand), _) => Some(Picked::ByHand.words()),
        (_, Some(Pause::SteppedBack)) => Some("you stepped back to it"),
        _ if run.is_none_or(|run| run.is_first) => None,
        (Some(picked), _) => Some(picked.words()),
        // By the process that was attached before.
        (None, _) => Some("you selected it"),
    }
}

/// The effects of this step, and of skipping it.
fn then(screen: &PlanScreen, cx: &Cx, row: &Row, step: &Step, width: usize) -> Vec<Line<'static>> {
    let (look, fields) = (&cx.look, fields(cx, width));
    let plain = look.style(Role::Text);
    let mut lines = Vec::new();
    let would_fail = step.error.is_some() && row.state == TurnState::Waiting;
    let live = !screen.phase.is_dry();
    let writes = match step.action {
        _ if matches!(row.state, TurnState::Failed { .. }) => before_it_failed(screen, row, step),
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
    lines.extend(fields.text("writes", &writes, plain));
    if let Some(words) = next_step::notifies(step, |id| screen.list.rows.find(id).is_some()) {
        let words = match row.state {
            TurnState::Failed { .. } => "nothing yet (the step failed)".to_string(),
            _ => format!("{} {words}", look.glyphs.refresh),
        };
        lines.extend(fields.text("notifies", &words, look.style(Role::Refresh)));
    }
    let Some(program) = screen.program() else { return lines };
    let Some(node) = program.graph.find(&row.id) else { return lines };
    if row.state != TurnState::Waiting {
        return lines;
    }
    let state_of = |id: &ResourceId| screen.list.rows.find(id).map(|row| &row.state);
    let mut follows = Follows::of((&program.graph, &program.ways), (node, step), state_of);
    follows.refresh |= screen.list.rows.refreshes(row).queued > 0;
    let unblocks = match follows.blocked.len() {
        _ if step.error.is_some() => follows.unblocks(),
        1 if follows.freed.is_empty() => "nothing yet (1 also waits for others)".into(),
        more @ 2.. if follows.freed.is_empty() => format!("nothing yet ({more} also wait for others)"),
        _ => follows.unblocks(),
    };
    lines.extend(fields.text("unblocks", &unblocks, plain));
    let name = if would_fail { "on failure" } else { "if skipped" };
    lines.extend(fields.text(name, &follows.blocks(step), plain));
    lines
}

/// What is known of the effects of a failed step.
fn before_it_failed(state: &State, row: &Row, step: &Step) -> String {
    let is_undone = matches!(row.state, TurnState::Failed { is_undone: true, .. });
    match state.phase.is_dry() {
        true => "nothing (dry run)".into(),
        false if is_undone => "applied, but the change did not last".into(),
        // A refused or failed check has no changes.
        false if row.step.as_deref().is_some_and(|step| step.changes.is_empty()) => {
            "nothing, as far as recorded".into()
        }
        false if is_command(step) => "effects before the failure are unknown".into(),
        false => "may be incomplete; History (5) shows what was written".into(),
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
