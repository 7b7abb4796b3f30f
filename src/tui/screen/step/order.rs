//! Draws the order: one line per row, then the breakpoints if there is room, and the sums.

use super::{State, panes::done_before, phase::Busy, rows::Row, stale::STALE, words::seconds};
use crate::tui::{
    cx::Cx, filter, message::Job, program::count_errors, screen::Pane, screen::code::errors, screen::step::PlanScreen,
};
use ratatui::prelude::{Buffer, Line, Rect, Span};

use crate::engine::message::TurnState;
use crate::plan::policy::Rule;
use crate::plan::stop::BreakMode;
use crate::plan::{Action, Certainty, Elsewhere, Step, Summary};
use crate::session::history::resources;
use crate::tui::look::{Look, Role};
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};

pub(super) fn view(screen: &PlanScreen, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let (look, state) = (&cx.look, screen);
    let focused = cx.focus() == Pane::Order;
    let below = below(screen, cx, usize::from(area.height.saturating_sub(2)));
    let height = usize::from(area.height.saturating_sub(2)).saturating_sub(below);
    let title = title(screen, cx);
    let foot = foot(screen, cx, usize::from(area.width.saturating_sub(4)));
    let scroll = state.list.extent(height);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    if !state.is_loaded() {
        return list::draw_words(buf, inner, &empty(cx, usize::from(inner.width)));
    }
    let rows = Rect { height: height as u16, ..inner };
    if state.list.is_empty() {
        let hidden =
            filter::hides_all(cx, state, state.list.words(), (state.list.rows.total(), "resource", "resources"));
        list::draw_words(buf, rows, &hidden);
    }
    list::draw(buf, rows, look, &state.list.at, state.list.len(), focused, |at| {
        let width = usize::from(rows.width);
        match state.list.rows.folds.group(at) {
            Some((name, steps)) => fold_line(screen, cx, name, steps, width),
            None => state.list.rows.shown(at).map(|row| row_line(screen, cx, row, width)).unwrap_or_default(),
        }
    });
    let others = elsewhere_lines(screen, cx, usize::from(area.height.saturating_sub(2)), usize::from(inner.width));
    let sums = usize::from(super::status::rows(cx) == 0);
    let mut last = breakpoint_lines(screen, cx, below.saturating_sub(sums + others.len()), usize::from(inner.width));
    last.splice(0..0, others);
    last.extend((super::status::rows(cx) == 0).then(|| sums_line(screen, cx, usize::from(inner.width))));
    let at = inner.bottom().saturating_sub(below as u16).max(inner.y);
    list::draw_cut(buf, Rect { y: at, height: inner.bottom() - at, ..inner }, look, 0, &last);
}

/// Lower panes have no room for the breakpoints below the rows.
const ROOM_FOR_BREAKPOINTS: usize = 24;

/// The number of lines below the rows: the sums if no other line has them, and the breakpoints if there is room.
pub(super) fn below(screen: &PlanScreen, cx: &Cx, height: usize) -> usize {
    const MOST: usize = 5;
    let breakpoints = screen.breaks.breakpoints.len() + screen.breaks.whens.len();
    let shown = height >= ROOM_FOR_BREAKPOINTS && screen.is_loaded() && breakpoints > 0;
    let sums = usize::from(super::status::rows(cx) == 0);
    sums + elsewhere_lines(screen, cx, height, 0).len() + if shown { breakpoints.min(MOST) + 1 } else { 0 }
}

/// The resources for other hosts below the rows, each host apart, in at most a third of the room: without the names, or
/// in one line, if there is less.
fn elsewhere_lines(screen: &PlanScreen, cx: &Cx, height: usize, width: usize) -> Vec<Line<'static>> {
    let look = &cx.look;
    let all = screen.plan.as_ref().map_or(&[][..], |plan| &plan.elsewhere);
    if all.is_empty() {
        return vec![];
    }
    let heading = |words: String| {
        let words = text::fit(&format!("{} {words} ", look.glyphs.horizontal), width, look.glyphs.cut).into_owned();
        let rest = look.glyphs.horizontal.repeat(width.saturating_sub(text::width(&words)));
        Line::styled(format!("{words}{rest}"), look.style(Role::Dim))
    };
    let hosts: Vec<&[Elsewhere]> = all.chunk_by(|one, other| one.host == other.host).collect();
    let room = (height / 3).max(1);
    if hosts.len() > room {
        let count = resources(all.len() as u64);
        return vec![heading(format!("{} other hosts: {count}, not applied here", hosts.len()))];
    }
    let has_names = hosts.len() + all.len() <= room;
    let mut lines = Vec::new();
    for host in hosts {
        let (name, count) = (host.first().map_or("", |one| &one.host), resources(host.len() as u64));
        lines.push(heading(format!("host {}: {count}, not applied here", text::safe(name))));
        let named = host.iter().filter(|_| has_names);
        lines.extend(named.map(|one| {
            let name = super::name(&one.resource, width.saturating_sub(3), look);
            Line::styled(format!("   {name}"), look.style(Role::Dim))
        }));
    }
    lines
}

/// The breakpoints below the rows, after a heading; empty if there is no room.
fn breakpoint_lines(screen: &PlanScreen, cx: &Cx, room: usize, width: usize) -> Vec<Line<'static>> {
    if room == 0 {
        return vec![];
    }
    let look = &cx.look;
    let all = screen.listed();
    let dash = look.glyphs.horizontal;
    let words = text::fit(&format!("{dash} breakpoints "), width, look.glyphs.cut).into_owned();
    let heading = format!("{words}{}", dash.repeat(width.saturating_sub(text::width(&words))));
    let mut lines = vec![Line::styled(heading, look.style(Role::Dim))];
    let shown = if all.len() > room - 1 { room.saturating_sub(2) } else { all.len() };
    lines.extend(all.iter().take(shown).map(|row| {
        let (glyph, role) = match row.is_on {
            true => (look.glyphs.breakpoint, Role::Breakpoint),
            false => (look.glyphs.waiting, Role::Dim),
        };
        let room = width.saturating_sub(5 + text::width(&row.tail));
        let words = text::pad(&text::fit_middle(&row.words, room, look.glyphs.cut), room);
        Line::from(vec![
            Span::styled(format!(" {glyph} "), look.style(role)),
            Span::styled(words, look.style(if row.is_on { Role::Text } else { Role::Dim })),
            Span::styled(format!(" {}", row.tail), look.style(Role::Dim)),
        ])
    }));
    if shown < all.len() {
        lines.push(Line::styled(format!("   and {} more: B lists them", all.len() - shown), look.style(Role::Dim)));
    }
    lines
}

fn title(screen: &PlanScreen, cx: &Cx) -> String {
    let mut title = "Steps".to_string();
    let undoing = screen.phase.undo_progress();
    if screen.is_loaded() && undoing.is_none() {
        // Some of them failed.
        title.push_str(&format!("  {}/{}", screen.list.rows.turned(), screen.list.rows.total()));
    }
    if let Some(words) = undoing {
        title = words;
    } else if screen.is_running() {
        title.push_str(&running(screen, cx));
    } else if screen.is_finished() || screen.is_open_at_end() {
        title.push_str("  end");
    }
    if screen.watch.is_on() {
        title.push_str("  watching");
    }
    let errors = if screen.phase.is_live() { 0 } else { cx.events.errors() };
    if errors > 0 && screen.is_loaded() {
        title.push_str(&format!("  stale: {}", count_errors(errors)));
    } else if screen.is_loaded() && !cx.plans_shown(screen) {
        match cx.programs.newest.as_ref().filter(|program| program.has_errors()) {
            Some(program) => title.push_str(&format!("  stale: {}", program.tally.errors_in_words())),
            None => title.push_str("  stale: press p"),
        }
    } else if screen.stale.is_stale() {
        title.push_str("  stale: Ctrl-r re-checks");
    }
    if screen.breaks.break_mode == BreakMode::Never {
        title.push_str("  does not stop on failure");
    }
    if let Some(id) = &screen.shows.only {
        title.push_str(&format!("  related to {id}"));
    }
    screen.list.titled(title)
}

/// The cursor's position among the rows; before that the longest running step.
fn foot(screen: &PlanScreen, cx: &Cx, room: usize) -> String {
    let (look, place) = (&cx.look, screen.list.foot());
    let row = if place.is_empty() { String::new() } else { format!("row {place}") };
    let slowest = screen.list.rows.slowest().filter(|_| screen.is_running());
    let slowest = slowest.map(|(id, began)| (id, cx.jobs.clock.saturating_sub(began)));
    let slowest = slowest.filter(|(_, took)| took.as_secs() > 0 && super::status::rows(cx) > 0).map(|(id, took)| {
        let took = seconds(took);
        let left = room.saturating_sub(text::width(&row) + took.len() + 3);
        format!("{} {took}  ", super::name(id, left, look))
    });
    let all = [slowest.unwrap_or_default() + &row, row, place];
    all.into_iter().find(|foot| text::width(foot) <= room).unwrap_or_default()
}

fn running(screen: &PlanScreen, cx: &Cx) -> String {
    let since = screen.phase.run().and_then(|run| match run.busy {
        Some(Busy::Going { since, .. }) => Some(since),
        _ => None,
    });
    match since.map(|begin| cx.jobs.clock.saturating_sub(begin)).filter(|took| took.as_secs() >= 2) {
        Some(took) => format!("  running {}", seconds(took)),
        None => "  running".into(),
    }
}

fn empty(cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let dim = cx.look.style(Role::Dim);
    if cx.is_working(Job::Plan) {
        return vec![Line::styled(" checking the machine…", dim)];
    }
    match &cx.programs.newest {
        None => vec![Line::styled(" compiling…", dim)],
        Some(program) if program.has_errors() => {
            let words = format!(" Cannot plan: {}", program.tally.errors_in_words());
            let errors = errors(cx, width.saturating_sub(2));
            std::iter::once(Line::styled(words, cx.look.style(Role::Error))).chain(errors).collect()
        }
        Some(program) if program.graph.is_empty() => vec![Line::raw(" The program declares no resources.")],
        Some(program) => {
            vec![
                Line::raw(" No plan yet."),
                Line::styled(format!(" Press p for a plan of {}.", resources(program.ways.order.len() as u64)), dim),
            ]
        }
    }
}

/// Columns of a row other than its name and its end.
const AROUND: usize = 7;
/// Columns for the words at the end: the status of a step, or how certain its effect is.
const WORDS: usize = 13;
/// The least room for a name beside the words. With less, the mark replaces the words: the pane beside has the words,
/// but not the name.
const NAME: usize = 29;

/// The columns for the end of a row, which it shares with the name. All rows use the same, so that nothing moves while
/// scrolling. Before the first step, whole names come before words.
fn tail_room(words: usize, shared: usize, widest_name: usize, has_earlier: bool) -> usize {
    let name = if has_earlier { widest_name.min(NAME) } else { widest_name };
    if name + words <= shared {
        return words;
    }
    let gap = usize::from(widest_name + 2 <= shared);
    shared.min(1 + gap)
}

/// The columns that the words of any row need. Before the first step they only show how certain the plan is, so names
/// get the rest.
fn words_room(state: &State) -> usize {
    let step = state;
    let [_, predicted, unknown] = step.shows.certain;
    if unknown > 0 || has_earlier(step) {
        return WORDS;
    }
    let is_policed = step.plan.as_ref().is_some_and(|plan| !plan.violations.is_empty());
    let fails = is_policed || step.list.rows.would_fail() != (0, 0);
    let marked = fails || !step.skips.left_out.is_empty() || step.stale.is_stale();
    if predicted > 0 {
        WORDS - 2
    } else if marked {
        "blocked".len()
    } else {
        0
    }
}

/// Whether rows may have results.
fn has_earlier(step: &State) -> bool {
    let runs = step.is_running() && !step.is_starting();
    step.phase.earlier().is_some() || step.has_turned() || runs || !step.phase.is_dry()
}

/// A folded group: its name, the number of its steps, and their sums.
fn fold_line(screen: &PlanScreen, cx: &Cx, name: &str, steps: &[usize], width: usize) -> list::Row<'static> {
    let look = &cx.look;
    let steps: Vec<&Row> = steps.iter().filter_map(|step| screen.list.rows.planned(*step)).collect();
    let sums = Summary::once(steps.iter().filter_map(|row| screen.step_of_row(row)));
    let mut tail = vec![Span::styled(
        format!("  {} step{}", steps.len(), if steps.len() == 1 { "" } else { "s" }),
        look.style(Role::Dim),
    )];
    for (words, style) in super::counts(look, &sums) {
        tail.extend([Span::raw(" "), Span::styled(words, style)]);
    }
    let taken: usize = tail.iter().map(|span| text::width(&span.content)).sum();
    let room = width.saturating_sub(4 + taken);
    let name = text::pad(&text::fit_end(&text::safe(name), room, look.glyphs.cut), room);
    let mut spans = vec![
        Span::styled(format!(" {} ", look.glyphs.shut), look.style(Role::Key)),
        Span::styled(name, look.style(Role::Strong)),
    ];
    spans.extend(tail);
    list::Row::marked(Line::from(spans), 3..3 + room)
}

fn row_line(screen: &PlanScreen, cx: &Cx, row: &Row, width: usize) -> list::Row<'static> {
    let look = &cx.look;
    let (glyph, glyph_style) = screen.glyph_of_row(look, row);
    let step = screen.step_of_row(row);
    // A step that fails or is blocked has the mark of its state, and no action of its own unless that is known.
    let does = step.filter(|step| match row.state {
        TurnState::Waiting => step.acts() && !screen.list.rows.is_blocked_by_skip(row),
        TurnState::Failed { .. } | TurnState::Blocked { .. } => step.action != Action::Unknown,
        _ => true,
    });
    let (letter, letter_style) = does.map_or((" ", look.style(Role::Dim)), |step| look.action(step.action));
    let refresh = look.refresh_mark(step.is_some_and(|step| step.refresh));
    let (tail, tail_style) = tail(screen, cx, row, step);
    let (words, widest) = (words_room(screen), screen.list.rows.widest);
    let tail_room = tail_room(words, width.saturating_sub(AROUND), widest, has_earlier(screen));
    let tail = if tail_room < words && tail == STALE {
        "s".into()
    } else if tail_room < words {
        tail.split(' ').next().filter(|mark| text::width(mark) == 1).unwrap_or_default().into()
    } else {
        tail
    };
    let tail = text::pad(&text::fit(&tail, tail_room, look.glyphs.cut), tail_room);
    let room = width.saturating_sub(AROUND + tail_room);
    let name = text::pad(&super::name(&row.id, room, look), room);
    let is_done = row.state == TurnState::Done && step.is_some_and(|step| step.action == Action::None);
    let line = Line::from(vec![
        Span::styled(format!(" {glyph} "), glyph_style),
        Span::styled(name, look.style(if is_done { Role::Dim } else { Role::Text })),
        Span::styled(format!(" {letter}"), letter_style),
        refresh,
        Span::raw(" "),
        Span::styled(tail, tail_style),
    ]);
    list::Row::marked(line, 3..3 + room)
}

fn tail(screen: &PlanScreen, cx: &Cx, row: &Row, step: Option<&Step>) -> (String, ratatui::style::Style) {
    let look: &Look = &cx.look;
    let is_open_or_done = matches!(row.state, TurnState::Waiting | TurnState::Done);
    if let Some(deploy) = done_before(screen, row, step).filter(|_| is_open_or_done) {
        return (format!("done in #{deploy}"), look.style(Role::Dim));
    }
    match &row.state {
        state if screen.is_left_out(&row.id, state) => ("skipped".into(), look.style(Role::Skipped)),
        TurnState::Waiting if screen.stale_words(&row.id).is_some() => (STALE.into(), look.style(Role::Warning)),
        TurnState::Waiting if step.is_some_and(|step| step.error.is_some()) => {
            (format!("{} fails", look.glyphs.failed), look.style(Role::Failed))
        }
        TurnState::Waiting if screen.list.rows.is_blocked_by_skip(row) || step.is_some_and(Step::is_blocked) => {
            ("blocked".into(), look.style(Role::Blocked))
        }
        TurnState::Waiting if let Some(violation) = screen.violations(&row.id).next() => match violation.rule {
            Rule::Deny => ("denied".into(), look.style(Role::Failed)),
            Rule::Warn => ("policy".into(), look.style(Role::Warning)),
        },
        TurnState::Waiting => step.map_or((String::new(), look.style(Role::Dim)), |step| {
            let certainty = screen.certainty(row, step);
            let (mark, word, style) = look.certainty(certainty);
            match screen.list.rows.refreshes(row).queued {
                0 if certainty == Certainty::Known => (String::new(), style),
                0 if certainty == Certainty::Unknown => (format!("{mark} after apply"), style),
                0 => (format!("{mark} {word}"), style),
                _ => (format!("{mark} refresh"), look.style(Role::Refresh)),
            }
        }),
        TurnState::Running if row.more.is_cut_off => ("interrupted".into(), look.style(Role::Failed)),
        TurnState::Running => {
            let took = cx.jobs.clock.saturating_sub(row.more.began);
            let words = if took.as_secs() > 0 { format!("running {}", seconds(took)) } else { "running".into() };
            (words, look.style(Role::Active))
        }
        TurnState::Done if row.elapsed_ms == 0 => ("done".into(), look.style(Role::Dim)),
        TurnState::Done => (format!("done {}", elapsed(row.elapsed_ms)), look.style(Role::Dim)),
        TurnState::Failed { .. } => ("failed".into(), look.style(Role::Failed)),
        TurnState::Skipped => ("skipped".into(), look.style(Role::Skipped)),
        TurnState::Blocked { .. } => ("blocked".into(), look.style(Role::Blocked)),
    }
}

pub(super) fn elapsed(ms: u64) -> String {
    match ms {
        0 => "<1ms".into(),
        1..1000 => format!("{ms}ms"),
        _ => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
    }
}

fn sums_line(screen: &PlanScreen, cx: &Cx, width: usize) -> Line<'static> {
    let rows = &screen.list.rows;
    let waiting_out =
        screen.skips.left_out.iter().filter(|id| rows.find(id).is_some_and(|row| screen.is_left_out(id, &row.state)));
    let mut spans = vec![Span::raw(" ")];
    for (words, style) in super::counts(&cx.look, &rows.summary) {
        spans.push(Span::styled(words, style));
        spans.push(Span::raw(" "));
    }
    let is_short = rows.turned() < rows.total() && screen.has_ended();
    let not_reached = if is_short { rows.ends().not_reached } else { 0 };
    let (would_fail, would_block) = rows.would_fail();
    let ends = rows.run.counts();
    for (count, word, role) in [
        (would_fail, "would fail", Role::Failed),
        (would_block, "would be blocked", Role::Blocked),
        (ends.failed, "failed", Role::Failed),
        (ends.skipped, "skipped", Role::Dim),
        (ends.blocked, "blocked", Role::Blocked),
        (waiting_out.count(), "skipped", Role::Skipped),
        (not_reached, "not run", Role::Warning),
    ] {
        if count > 0 {
            spans.push(Span::styled(format!(" {word} {count}"), cx.look.style(role)));
        }
    }
    if let Some((id, began)) = rows.slowest().filter(|_| screen.is_running()) {
        let took = cx.jobs.clock.saturating_sub(began);
        let room = width.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 9);
        if took.as_secs() > 0 && room > 8 {
            let name = super::name(id, room, &cx.look);
            spans.push(Span::styled(format!("  {name} {}", seconds(took)), cx.look.style(Role::Active)));
        }
    }
    Line::from(spans)
}
