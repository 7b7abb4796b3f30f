//! The plan at a glance, destroying steps first; at the end of a run its results, failures first.

use std::{collections::BTreeMap, path::PathBuf};

use super::{State, live};
use super::{certain::count_words, phase::Phase, rows::Row};
use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::plan::{Action, Alike, Certainty, Elsewhere, Listed, Plan, Step, Summary};
use crate::session::own_name;
use crate::source;
use crate::tui::look::{Look, Role, action_word};
pub(super) use crate::tui::screen::step::data::Group;
use crate::tui::{cx::Cx, message::Job, parity, screen::step::PlanScreen, widget::text};
use ratatui::prelude::{Line, Span, Style};

/// Longer lists are cut.
const MOST: usize = 200;

/// The group of unchanged resources with a refresh.
const REFRESH: &str = "refresh";

/// The groups of changing steps: those that destroy come first.
fn groups(all: &[&Step]) -> Vec<Group> {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, step) in all.iter().enumerate().filter(|(_, step)| step.action != Action::None || step.refresh) {
        let name = match step.action {
            _ if step.is_blocked() => "blocked".into(),
            Action::None => REFRESH.into(),
            action => action_word(action).to_string(),
        };
        by_name.entry(name).or_default().push(at);
    }
    let action_of = |at: &usize| all.get(*at).map_or(usize::MAX, |step| step.action.rank());
    let mut groups: Vec<Group> = by_name
        .into_iter()
        .map(|(name, mut steps)| {
            steps.sort_by_key(action_of);
            let first = steps.first().and_then(|at| all.get(*at)).map(|step| step.action);
            let is_one = |action: &Action| action_word(*action) == name;
            Group { action: first.filter(is_one), name, steps }
        })
        .collect();
    groups.sort_by_key(|group| group.steps.first().map_or(usize::MAX, action_of));
    groups
}

/// The shown run is over, complete or not: the summary shows its results.
pub(super) fn end(state: &mut State) {
    state.list.rows.end();
    group(state);
}

/// Groups the steps of the shown plan; at the end of a run by their results, because a plan from the middle of the run
/// has fewer steps.
pub(super) fn group(state: &mut State) {
    let all: Vec<&Step> = (0..state.list.rows.total()).filter_map(|at| state.step_at(at)).collect();
    state.shows.groups = groups(&all);
    // A predicted failure counts as known.
    let steps = || state.plan.iter().flat_map(|plan| &plan.steps).filter(|step| step.acts());
    state.shows.certain = CERTAINTIES.map(|certainty| steps().filter(|step| step.certainty == certainty).count());
}

impl State {
    /// A planned step; at the end of a run its result.
    fn step_at(&self, at: usize) -> Option<&Step> {
        let turned = self.list.rows.planned(at).and_then(|row| row.step.as_deref()).filter(|_| self.has_ended());
        turned.or_else(|| self.plan.as_ref()?.steps.get(at))
    }

    /// Whether the shown run has ended or was left.
    pub(super) fn has_ended(&self) -> bool {
        self.is_finished() || self.phase.ended().is_some() || self.is_open_at_end()
    }
}

pub(super) fn summary(screen: &PlanScreen, cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let Some(plan) = &screen.plan else { return vec![] };
    let look = &cx.look;
    let has_ended = screen.has_ended();
    // The line above the panes has the counts, if there is room for it.
    let has_counts = super::status::rows(cx) > 0;
    let mut lines: Vec<_> = headline(screen, cx, plan, has_ended, has_counts).into_iter().collect();
    if has_ended && (!has_counts || screen.phase.is_dry()) {
        lines.push(ends(screen, cx));
    }
    let failing: Vec<_> = plan.steps.iter().filter(|step| step.error.is_some()).collect();
    if !has_counts && !screen.has_turned() {
        lines.extend(predictions(screen, cx, failing.len()));
    }
    if !lines.is_empty() {
        lines.push(Line::raw(""));
    }
    // After their step they are listed with the failed ones.
    if !screen.has_turned() {
        would_fail(look, &failing, width, &mut lines);
    }
    troubled(screen, cx, width, &mut lines);
    if has_ended {
        not_reached(screen, cx, width, &mut lines);
    }
    for group in &screen.shows.groups {
        group_lines(screen, cx, group, width, &mut lines);
    }
    elsewhere(look, &plan.elsewhere, width, &mut lines);
    reads(look, &plan.reads, width, &mut lines);
    lines.push(Line::raw(""));
    lines.extend(legend(look, width));
    lines.push(Line::raw(""));
    lines.extend(hints(screen, cx, width));
    if let Some(words) = screen.watch.words() {
        lines.extend(text::wrap_line(&Line::styled(words, look.style(Role::Dim)), width));
        if cx.events.is_on() {
            let words = "Inputs are watched too: a changed input makes its resources pending.";
            lines.extend(text::wrap_line(&Line::styled(words, look.style(Role::Dim)), width));
        }
    }
    lines
}

/// The resources for other hosts, each host apart.
fn elsewhere(look: &Look, all: &[Elsewhere], width: usize, lines: &mut Vec<Line<'static>>) {
    for host in all.chunk_by(|one, other| one.host == other.host) {
        let Some(first) = host.first() else { continue };
        let words = format!("not applied here, for host {} {}", text::safe(&first.host), host.len());
        lines.push(Line::styled(text::fit(&words, width, look.glyphs.cut).into_owned(), look.style(Role::Strong)));
        for one in host.iter().take(MOST) {
            let name = super::name(&one.resource, width.saturating_sub(4), look);
            lines.push(Line::styled(format!("    {name}"), look.style(Role::Dim)));
        }
        and_more(look, host.len(), MOST, lines);
    }
}

/// The files and folders outside of the entry that the program reads.
fn reads(look: &Look, all: &[PathBuf], width: usize, lines: &mut Vec<Line<'static>>) {
    if all.is_empty() {
        return;
    }
    let words = format!("reads outside of the entry {}", all.len());
    lines.push(Line::styled(text::fit(&words, width, look.glyphs.cut).into_owned(), look.style(Role::Strong)));
    for path in all.iter().take(MOST) {
        let path = text::safe(&path.to_string_lossy());
        let path = text::fit(&path, width.saturating_sub(4), look.glyphs.cut);
        lines.push(Line::styled(format!("    {path}"), look.style(Role::Dim)));
    }
    and_more(look, all.len(), MOST, lines);
}

/// The effects of a plan in words, without zero counts: the changes, their number, and the rest.
pub(super) fn acts_words(sums: &Summary) -> (String, u32, String) {
    let listed = |counts: &[(u32, &str)]| {
        let words = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{word} {count}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let acts = [
        (sums.create, "create"),
        (sums.change, "change"),
        (sums.replace, "replace"),
        (sums.remove, "remove"),
        (sums.run, "run"),
    ];
    let rest = [(sums.refresh, "refresh"), (sums.none, "unchanged")];
    (listed(&acts), acts.iter().map(|(count, _)| count).sum(), listed(&rest))
}

fn legend(look: &Look, width: usize) -> Vec<Line<'static>> {
    let glyphs = look.glyphs;
    let states = [
        (glyphs.next, "next"),
        (glyphs.waiting, "pending"),
        (glyphs.done, "done"),
        (glyphs.failed, "failed"),
        (glyphs.skipped, "skipped"),
        (glyphs.blocked, "blocked"),
        (glyphs.breakpoint, "breakpoint"),
    ];
    let acts =
        [Action::Create, Action::Change, Action::Replace, Action::Remove, Action::Run, Action::None, Action::Unknown];
    let is_wide = width >= 60;
    let acts = acts.map(|action| {
        let word = match action {
            Action::Unknown if is_wide => "unknown, or known after apply",
            action => action_word(action),
        };
        (look.action(action).0, word)
    });
    let listed = |(sign, word): (&str, &str)| format!("{sign} {word}");
    let acts = acts.into_iter().chain([(glyphs.refresh, "refresh")]);
    let acts = acts.chain(is_wide.then_some((glyphs.predicted, "predicted (depends on an earlier step)")));
    let mut lines = Vec::new();
    for all in [Vec::from(states.map(listed)), acts.map(listed).collect()] {
        let mut line = String::new();
        for words in all {
            // A sign stays on the line of its word.
            if line.is_empty() {
                line = words;
            } else if text::width(&line) + 2 + text::width(&words) <= width {
                line.push_str("  ");
                line.push_str(&words);
            } else {
                lines.push(std::mem::replace(&mut line, words));
            }
        }
        lines.push(line);
    }
    let dim = look.style(Role::Dim);
    lines.iter().flat_map(|line| text::wrap_line(&Line::styled(line.as_str(), dim), width)).collect()
}

/// The steps that would fail, and why; a common reason is shown once.
fn would_fail(look: &Look, failing: &[&Step], width: usize, lines: &mut Vec<Line<'static>>) {
    let mut alike = Alike::of(failing.iter().filter_map(|step| step.reason()));
    let mut listed: Vec<(&Step, Listed)> = failing.iter().map(|step| (*step, alike.next(step.reason()))).collect();
    listed.retain(|(_, listed)| *listed != Listed::No);
    for (step, listed) in listed.iter().take(MOST) {
        let error = step.error.clone().unwrap_or_default();
        let words = format!("would fail: {error}");
        let (glyph, style) = look.turn(&TurnState::Failed { error, is_undone: false });
        lines.extend(trouble(&step.resource, (glyph, style), &words, width));
        lines.extend(more_alike(look, *listed));
    }
    and_more(look, listed.len(), MOST, lines);
}

/// How many more have the same problem as the one above.
fn more_alike(look: &Look, listed: Listed) -> Option<Line<'static>> {
    let Listed::AndMore(more) = listed else { return None };
    Some(Line::styled(format!("    and {more} more for the same reason"), look.style(Role::Dim)))
}

/// What would fail or be blocked, and what is not known, before the first step.
fn predictions(screen: &PlanScreen, cx: &Cx, failing: usize) -> Vec<Line<'static>> {
    let look = &cx.look;
    let mut lines = Vec::new();
    if failing > 0 {
        lines.push(Line::styled(format!("{failing} would fail"), look.style(Role::Error)));
    }
    let (_, blocked) = screen.list.rows.would_fail();
    if blocked > 0 {
        lines.push(Line::styled(format!("{blocked} would be blocked"), look.style(Role::Blocked)));
    }
    let unknown = screen.list.rows.summary.unknown;
    // The certainties count it too.
    if unknown > 0 && screen.shows.certain[2] == 0 {
        lines.push(Line::styled(format!("{unknown} unknown until apply"), look.style(Role::Unknown)));
    }
    lines.extend(tally(screen, cx));
    lines
}

/// The number of changes, in one line; of a run that is shown above the panes, only how many there were.
fn headline(screen: &PlanScreen, cx: &Cx, plan: &Plan, has_ended: bool, has_counts: bool) -> Option<Line<'static>> {
    let look = &cx.look;
    let sums = &screen.list.rows.summary;
    let changing = sums.create + sums.change + sums.replace + sums.remove + sums.run;
    let is_quiet = changing + sums.unknown + sums.refresh == 0 && screen.skips.left_out.is_empty();
    if is_quiet && plan.steps.iter().all(|step| step.error.is_none()) && is_all_well(screen) {
        let took = screen.planned_in.filter(|_| screen.phase.is_dry());
        let took = took.map(|took| format!(" ({})", text::duration(took))).unwrap_or_default();
        let words = format!("No changes: {0} of {0} resources unchanged{took}", plan.steps.len());
        return Some(Line::styled(words, look.style(Role::Good)));
    }
    let mode = match screen.phase.is_dry() {
        false => {
            let is_done = |id: &&ResourceId| screen.list.rows.find(id).is_some_and(|row| row.state == TurnState::Done);
            let count = screen.phase.changed().iter().filter(is_done).count();
            if has_ended {
                format!("{count} changed   ")
            } else if has_counts {
                format!("{count} changed so far")
            } else {
                format!("{count} changed so far   plan: ")
            }
        }
        true if has_counts => return None,
        true => format!("{changing} of {} would change   ", plan.steps.len()),
    };
    let mut spans = vec![Span::raw(mode)];
    for (words, style) in super::counts(look, sums).into_iter().filter(|_| !has_counts) {
        spans.push(Span::styled(words, style));
        spans.push(Span::raw(" "));
    }
    Some(Line::from(spans))
}

/// Whether all rows succeeded; an unchanged resource may be skipped.
fn is_all_well(step: &State) -> bool {
    let rows = &step.list.rows;
    let is_right = |row: &Row| row.state == TurnState::Skipped && step.is_idle(&row.id);
    rows.troubled().all(is_right) && rows.cut().next().is_none()
}

/// The degrees of certainty, the most certain first.
pub(super) const CERTAINTIES: [Certainty; 3] = [Certainty::Known, Certainty::Predicted, Certainty::Unknown];

/// The uncertain part of the plan.
fn tally(screen: &PlanScreen, cx: &Cx) -> Option<Line<'static>> {
    let counts = screen.shows.certain;
    let mut spans = Vec::new();
    for (certainty, count) in CERTAINTIES.into_iter().zip(counts).skip(1).filter(|(_, count)| *count > 0) {
        let style = cx.look.certainty(certainty).2;
        spans.push(Span::styled(format!("{}  ", count_words(&cx.look, certainty, count)), style));
    }
    (counts[1] + counts[2] > 0).then(|| Line::from(spans))
}

/// How the steps of a run ended, in one line, without zero counts.
fn ends(screen: &PlanScreen, cx: &Cx) -> Line<'static> {
    let ends = screen.list.rows.ends();
    let counts = [
        (ends.done, "done", Role::Good),
        (ends.failed, "failed", Role::Failed),
        (ends.blocked, "blocked", Role::Blocked),
        (ends.skipped, "skipped", Role::Skipped),
        (ends.interrupted, "interrupted", Role::Failed),
        (ends.not_reached, "not run", Role::Warning),
    ];
    let mut spans = Vec::new();
    for (count, word, role) in counts.into_iter().filter(|(count, word, _)| *count > 0 || *word == "done") {
        spans.push(Span::styled(format!("{count} {word}"), cx.look.style(role)));
        spans.push(Span::raw("  "));
    }
    Line::from(spans)
}

/// One row that needs attention, with its details.
fn trouble(id: &ResourceId, (glyph, style): (&str, Style), words: &str, width: usize) -> Vec<Line<'static>> {
    let words = text::wrap(&format!("{id}  {}", text::safe(words)), width.saturating_sub(2));
    let glyphs = std::iter::once(glyph).chain(std::iter::repeat(" "));
    let line = |(glyph, words)| Line::from(vec![Span::styled(format!("{glyph} "), style), Span::raw(words)]);
    glyphs.zip(words).map(line).collect()
}

/// The failed, then the blocked, then the skipped rows.
fn troubled(screen: &PlanScreen, cx: &Cx, width: usize, lines: &mut Vec<Line<'static>>) {
    let look = &cx.look;
    let mut all: Vec<&Row> = screen.list.rows.troubled().collect();
    all.sort_by_key(|row| match row.state {
        TurnState::Failed { .. } => 0,
        TurnState::Blocked { .. } => 1,
        _ => 2,
    });
    let mut alike = Alike::of(all.iter().filter_map(|row| reason(row)));
    let mut listed: Vec<(&Row, Listed)> = all.iter().map(|row| (*row, alike.next(reason(row)))).collect();
    listed.retain(|(_, listed)| *listed != Listed::No);
    for (row, listed) in listed.iter().take(MOST) {
        let words = match &row.state {
            TurnState::Failed { error, .. } => format!("failed: {}", source::headline(error)),
            TurnState::Blocked { by } => format!("blocked by {by}"),
            _ => "skipped".into(),
        };
        lines.extend(trouble(&row.id, look.turn(&row.state), &words, width));
        lines.extend(more_alike(look, *listed));
    }
    and_more(look, listed.len(), MOST, lines);
}

fn reason(row: &Row) -> Option<&str> {
    match &row.state {
        TurnState::Failed { error, .. } => Some(error),
        TurnState::Blocked { by } => Some(&by.0),
        _ => None,
    }
}

/// The interrupted steps, and those that did not run.
fn not_reached(screen: &PlanScreen, cx: &Cx, width: usize, lines: &mut Vec<Line<'static>>) {
    const MOST: usize = 20;
    let look = &cx.look;
    for row in screen.list.rows.cut() {
        let words = "interrupted: effects unknown";
        lines.extend(trouble(&row.id, ("?", look.style(Role::Unknown)), words, width));
    }
    for row in screen.list.rows.not_reached().take(MOST) {
        lines.extend(trouble(&row.id, look.turn(&TurnState::Waiting), "not run", width));
    }
    and_more(look, screen.list.rows.ends().not_reached, MOST, lines);
}

fn and_more(look: &Look, all: usize, most: usize, lines: &mut Vec<Line<'static>>) {
    if all > most {
        lines.push(Line::styled(format!("    and {} more", all - most), look.style(Role::Dim)));
    }
}

/// A group's heading and its steps; at the end of a run those that ran.
fn group_lines(screen: &PlanScreen, cx: &Cx, group: &Group, width: usize, lines: &mut Vec<Line<'static>>) {
    let look = &cx.look;
    let dim = look.style(Role::Dim);
    let has_ended = screen.has_ended();
    let counts =
        |at: &&usize| !has_ended || screen.list.rows.planned(**at).is_some_and(|row| row.state == TurnState::Done);
    let all = group.steps.iter().filter(counts).filter_map(|at| screen.step_at(*at));
    // Before the first step the list starts with what would fail.
    let shown: Vec<&Step> = all.filter(|step| step.error.is_none() || screen.has_turned()).collect();
    if shown.is_empty() {
        return;
    }
    match group.action {
        Some(action) => {
            let (letter, style) = look.action(action);
            lines.push(Line::styled(format!("{letter} {} {}", group.name, shown.len()), style));
        }
        None if group.name == REFRESH => {
            let words = format!("{} {REFRESH} {}", look.glyphs.refresh, shown.len());
            lines.push(Line::styled(words, look.style(Role::Refresh)));
        }
        None => {
            let name = text::fit_end(&group.name, width.saturating_sub(6), look.glyphs.cut).into_owned();
            lines.push(Line::styled(format!("{name} {}", shown.len()), look.style(Role::Strong)));
        }
    }
    for step in shown.iter().take(MOST) {
        let names = step.changes.iter().filter_map(|change| own_name(&step.resource, change));
        let mut names: Vec<_> = names.map(text::safe).collect();
        names.dedup();
        let words = names.join(" ");
        let room = width.saturating_sub(4 + text::width(&words).min(width / 3));
        let name = super::name(&step.resource, room, look);
        let left = width.saturating_sub(6 + text::width(&name));
        let words = text::fit(&words, left, look.glyphs.cut).into_owned();
        let mark = match group.action {
            Some(_) => Span::raw("    "),
            None => {
                let (letter, style) = match step.action {
                    Action::None => (look.glyphs.refresh, look.style(Role::Refresh)),
                    action => look.action(action),
                };
                Span::styled(format!("  {letter} "), style)
            }
        };
        lines.push(Line::from(vec![mark, Span::raw(format!("{name}  ")), Span::styled(words, dim)]));
    }
    and_more(look, shown.len(), MOST, lines);
}

fn hints(screen: &PlanScreen, cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let dim = cx.look.style(Role::Dim);
    if !screen.phase.is_dry() {
        let now = match screen.phase {
            _ if screen.has_ended() => live::hints(screen),
            Phase::Undoing(_) => vec!["undoing…".into()],
            Phase::Beginning(_) => vec!["waiting for the lock…".into()],
            _ => vec!["LIVE: s applies one step, c applies to a breakpoint or a failure. Started steps finish.".into()],
        };
        return now.iter().flat_map(|line| text::wrap_line(&Line::styled(line.as_str(), dim), width)).collect();
    }
    let (finished, why_not) = (screen.is_finished(), why_not_live(screen, cx));
    let hint = match (finished, screen.has_work(), &why_not) {
        (true, true, None) => "Dry run finished, nothing was written. Z step back, p new plan, A apply. Command:",
        (true, true, Some(_)) => "Dry run finished, nothing was written. Z step back, p new plan.",
        (true, false, _) => "Dry run finished, nothing to apply. Z step back, p new plan. Command:",
        (false, true, None) => "s step, c continue; nothing is written or executed. A applies.",
        (false, true, Some(_)) => "s step, c continue; nothing is written or executed.",
        (false, false, _) => "s step, c continue; nothing to apply.",
    };
    let mut lines = text::wrap_line(&Line::styled(hint, dim), width);
    match why_not.filter(|_| screen.has_work()) {
        Some(why) if !why.is_empty() => {
            let words = format!("Cannot apply: {}", text::safe(&why));
            lines.extend(text::wrap_line(&Line::styled(words, cx.look.style(Role::Warning)), width));
        }
        Some(_) => {}
        None if finished => lines.push(Line::raw(format!("  workbench apply {}", parity::entry_words(cx)))),
        None => {}
    }
    lines
}

/// Why the shown plan cannot be applied as it is; an empty text if that only lasts an instant.
fn why_not_live(screen: &PlanScreen, cx: &Cx) -> Option<String> {
    if screen.is_running() || cx.is_working(Job::Plan) || cx.is_working(Job::Compile) {
        return Some(String::new());
    }
    let refused = || screen.learned.refused.clone();
    let elsewhere = || live::not_for_here(screen, cx).map(|[why, _]| why);
    live::in_the_way(screen, cx).or_else(elsewhere).or_else(refused)
}
