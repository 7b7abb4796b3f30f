//! Steps that are repeated: after an edit, after an event, and in the next session.
//!
//! After an edit the program is read again, and the run returns to its place. When an event of a watched program changes
//! resources, they and their dependents become pending again in the dry run. All other steps are repeated over the new
//! graph, so that the run is back at its place, or at the first pending step if it was at its end. The cursor follows,
//! unless the user looks at another row. Breakpoints stay. An unfinished dry run is saved, and resumed with the same plan.

use std::collections::BTreeSet;

use super::observe::{Looked, differing_by};
use super::phase::{DryRequest, Repeat};
use super::{State, planning, watch};
use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::graph::delta::{Fate, delta};
use crate::plan::Plan;
use crate::session;
pub use crate::tui::screen::step::data::Redo;
pub use crate::tui::screen::step::data::Unfinished;
pub(super) use crate::tui::screen::step::data::{Picked, Why};
use crate::tui::{
    cx::Cx, effect::Effect, layer::Question, look::Role, message::Job, program::Program, screen::ScreenId,
    screen::step::PlanScreen,
};

impl Picked {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::ByHand => "you selected it",
            Self::Again => "retry",
            Self::Before(Why::Edited) => "the run returned to it after the edit",
            Self::Before(Why::Restored) => "it was next when you quit",
            Self::Before(Why::Looked) => "it was next before the re-check",
            Self::Before(Why::Event) => "it was next before the input changed",
            Self::Back => "it failed before",
        }
    }
}

impl Redo {
    /// The steps of a run in their order; `None` if none ran.
    pub(super) fn of(state: &State) -> Option<Self> {
        let turns = state.taken.clone();
        (!turns.is_empty()).then(|| Self { turns, next: state.next_id().cloned(), why: Why::Looked, goes: None })
    }
}

impl State {
    /// Whether the program was edited in the middle of a run.
    pub fn is_to_redo(&self) -> bool {
        self.later.redo.is_some()
    }
}

/// The editor was closed: remembers the place of a dry run.
pub fn edited(screen: &mut PlanScreen, cx: &mut Cx) {
    if cx.screen == ScreenId::Step {
        keep_place(screen);
    }
}

/// Lets the next plan, maybe of another program, repeat the steps of a dry run.
pub(super) fn keep_place(state: &mut State) {
    let is_dry = state.phase.is_dry() && !state.is_running();
    if !is_dry || !state.has_turned() {
        return;
    }
    // The edit is for the failed step: it is next, and is not repeated in its old form.
    let turns: Vec<_> = state.taken.iter().filter(|(id, _)| !state.has_failed(id)).cloned().collect();
    let next = state.last_failure().or(state.next_id()).cloned();
    state.later.redo = Some(Redo { turns, next, why: Why::Edited, goes: None });
}

/// Repeats the steps over the new graph, as far as they exist there.
pub(super) fn again(screen: &mut PlanScreen, cx: &mut Cx, old: Option<&Program>) {
    let Some(redo) = screen.later.redo.take() else { return };
    let Some(program) = screen.program.clone() else { return };
    let taken = redo.turns.len();
    let is_there = |id: &ResourceId| program.graph.find(id).is_some();
    let next = redo.next.filter(is_there);
    let requests = requests(redo.turns.into_iter().filter(|(id, _)| is_there(id)).collect(), next.clone());
    // One for each, and one for the start of the run.
    if let Some(run) = screen.phase.run_mut() {
        run.repeat = Some(Repeat { left: requests.len() + 1, goes: redo.goes, logged: None });
        run.picked = next.clone().map(|next| (next, Picked::Before(redo.why)));
    }
    screen.requests(cx, requests);
    screen.shows.summary = false;
    let tells = matches!(redo.why, Why::Edited | Why::Event);
    let what = old.filter(|_| tells).map(|old| differences(old, &program)).unwrap_or_default();
    let steps = format!("{taken} step{}", if taken == 1 { "" } else { "s" });
    let words = match (redo.why, next) {
        (Why::Restored, Some(id)) => format!("restored: {steps} done, {id} is next; p starts again"),
        (Why::Restored, None) => format!("restored: {steps} done; p starts again"),
        (Why::Looked, _) => return,
        (Why::Edited, Some(id)) => format!("reloaded{what}: at {id}"),
        (Why::Event, Some(id)) => {
            format!("an input changed the graph{what}: {id} is next; s preview, A apply")
        }
        (Why::Event, None) => format!("an input changed the graph{what}: no steps pending"),
        (Why::Edited, None) => format!("reloaded{what}: the next step no longer exists"),
    };
    cx.show_notice(Role::Note, words.clone());
    if let Some(delta) = old.filter(|_| redo.why == Why::Edited).map(|old| delta(&old.graph, &program.graph)) {
        let has_other_shape = delta.edges || delta.resources.iter().any(|(_, fate)| *fate != Fate::Changed);
        if has_other_shape {
            let mut lines = session::differing_lines(&delta);
            lines.extend([String::new(), words]);
            cx.layers.open.push(Question::report("The edit changes the graph", lines).into());
        }
    }
}

/// The requests that repeat steps in order, and then pick the next resource.
pub(super) fn requests(turns: Vec<(ResourceId, bool)>, next: Option<ResourceId>) -> Vec<DryRequest> {
    let again = |(resource, is_skipped)| {
        [DryRequest::Pick { resource }, if is_skipped { DryRequest::Skip } else { DryRequest::Step }]
    };
    let picks = next.map(|resource| DryRequest::Pick { resource });
    turns.into_iter().flat_map(again).chain(picks).collect()
}

/// The differences between two graphs, after a comma.
pub(super) fn differences(old: &Program, new: &Program) -> String {
    let delta = delta(&old.graph, &new.graph);
    let count = |fate| delta.resources.iter().filter(|(_, had)| *had == fate).count();
    let counts = [("+", count(Fate::Added)), ("~", count(Fate::Changed)), ("-", count(Fate::Removed))];
    let mut words: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(sign, count)| format!("{sign}{count}")).collect();
    if delta.edges {
        words.push("and the order".into());
    }
    if words.is_empty() { ", no changes".into() } else { format!(", {}", words.join(" ")) }
}

/// Keeps the steps in their order.
pub(super) fn turned(taken: &mut Vec<(ResourceId, bool)>, id: &ResourceId, state: &TurnState) {
    match state {
        TurnState::Done | TurnState::Failed { .. } => taken.push((id.clone(), false)),
        TurnState::Skipped => taken.push((id.clone(), true)),
        TurnState::Waiting => {
            if let Some(at) = taken.iter().rposition(|(taken, _)| taken == id) {
                taken.remove(at);
            }
        }
        TurnState::Running | TurnState::Blocked { .. } => {}
    }
}

/// The shown event has another graph than the plan. Does nothing while the plan is running; it is checked again
/// afterwards.
pub(super) fn reopen(screen: &mut PlanScreen, cx: &mut Cx) {
    let is_busy = screen.is_running() || cx.is_working(Job::Plan);
    let shown = cx.events.program().filter(|program| !program.has_errors() && !program.graph.is_empty());
    let (Some(program), Some(planned), Some(plan)) = (shown.cloned(), screen.program.clone(), screen.plan.clone())
    else {
        return;
    };
    if is_busy {
        return;
    }
    if watch::reopens(screen, cx, &program) {
        return;
    }
    let delta = delta(&planned.graph, &program.graph);
    let changed = delta.resources.iter().filter(|(_, fate)| *fate != Fate::Removed);
    let changed: Vec<ResourceId> = changed.map(|(id, _)| id.clone()).collect();
    let again = with_dependents(&program, &changed);
    // A live run has changed the machine: its steps are not repeated, and everything is checked again.
    let was_live = screen.phase.ended().is_some();
    let turns = screen.taken.iter().filter(|(id, _)| !was_live && !again.contains(id)).cloned().collect();
    let first = program.ways.order.iter().map(|node| program.id(*node)).find(|id| again.contains(*id));
    let next = screen.next_id().cloned().or_else(|| first.cloned());
    let (run, turn) = (screen.run, cx.programs.turn);
    let goes = Some(!screen.cursor.is_moved);
    screen.later.redo = Some(Redo { turns, next, why: Why::Event, goes });
    match differing_by(&planned, &program, &delta).filter(|_| !was_live) {
        Some(looked) => {
            let looked = looked.into_iter().collect();
            cx.start(Job::Plan);
            cx.effect(Effect::LookAgain(Box::new(Looked { program, plan, run, turn, resource: None, looked })))
        }
        None => planning::plan(screen, cx),
    }
}

fn with_dependents(program: &Program, ids: &[ResourceId]) -> BTreeSet<ResourceId> {
    let mut all: BTreeSet<ResourceId> = BTreeSet::new();
    for id in ids {
        if let Some(node) = program.graph.find(id).filter(|_| all.insert(id.clone())) {
            all.extend(program.dependents(node).into_iter().map(|node| program.id(node).clone()));
        }
    }
    all
}

impl Unfinished {
    /// `None` if no dry run is unfinished.
    pub fn of(state: &State) -> Option<Self> {
        let plan = state.plan.as_ref()?;
        if !state.phase.is_dry() || state.is_finished() || state.taken.is_empty() {
            return None;
        }
        let turns =
            state.taken.iter().filter_map(|(id, skipped)| Some((state.list.rows.find(id)?.more.planned, *skipped)));
        let next = state.next_id().map(|id| id.0.to_string());
        Some(Self { plan: plan.plan.clone(), turns: write(turns), next })
    }

    fn redo(&self, plan: &Plan) -> Redo {
        let step = |at: usize| plan.steps.get(at).map(|step| step.resource.clone());
        let turns = read(&self.turns, plan.steps.len());
        let turns = turns.into_iter().filter_map(|(at, skipped)| Some((step(at)?, skipped))).collect();
        Redo { turns, next: self.next.as_deref().map(|id| ResourceId(id.into())), why: Why::Restored, goes: None }
    }
}

/// Resumes it, if the plan is the same.
pub(super) fn take_up(screen: &mut PlanScreen, cx: &mut Cx) {
    let Some(plan) = screen.plan.clone() else { return };
    let Some(unfinished) = cx.saved.unfinished.take() else { return };
    if unfinished.plan == plan.plan {
        screen.later.redo = Some(unfinished.redo(&plan));
    } else {
        let count = read(&unfinished.turns, usize::MAX).len();
        let words = format!("the plan changed since you quit: the {count} steps done then were discarded");
        cx.show_notice(Role::Note, words);
    }
}

/// Writes the steps as ranges of positions.
fn write(turns: impl Iterator<Item = (usize, bool)>) -> String {
    let mut runs: Vec<(usize, usize, bool)> = Vec::new();
    for (at, skipped) in turns {
        match runs.last_mut() {
            Some((_, last, same)) if *last + 1 == at && *same == skipped => *last = at,
            _ => runs.push((at, at, skipped)),
        }
    }
    let word = |(first, last, skipped): (usize, usize, bool)| {
        let mark = if skipped { "x" } else { "" };
        if first == last { format!("{mark}{first}") } else { format!("{mark}{first}-{last}") }
    };
    runs.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Reads the steps, up to the plan's end; ignores what it cannot read.
fn read(words: &str, len: usize) -> Vec<(usize, bool)> {
    // A file that was edited by hand may contain anything.
    const MOST: usize = 1 << 20;
    let mut turns = Vec::new();
    for word in words.split_whitespace() {
        let (skipped, word) = word.strip_prefix('x').map_or((false, word), |word| (true, word));
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else { continue };
        let room = MOST.saturating_sub(turns.len());
        turns.extend((first..=last).take_while(|at| *at < len).take(room).map(|at| (at, skipped)));
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_kept_as_runs() {
        let turns = [(0, false), (1, false), (2, false), (4, true), (5, true), (3, false), (9, false)];
        let words = write(turns.into_iter());
        assert_eq!(words, "0-2 x4-5 3 9");
        assert_eq!(read(&words, 100), turns);
        assert_eq!(
            read("0-2 x-1 5-99999999999 abc 7-3", 7),
            [(0, false), (1, false), (2, false), (5, false), (6, false)]
        );
    }
}
