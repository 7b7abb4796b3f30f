//! Edit and retry: reads the program again, and returns the run to its place.

use super::State;
use super::phase::{DryRequest, Repeat};
use crate::engine::message::TurnState;
use crate::graph::ResourceId;
use crate::graph::delta::{Fate, delta};
use crate::session;
use crate::tui::cx::Cx;
use crate::tui::effect::Effect;
use crate::tui::layer::Question;
use crate::tui::look::Role;
use crate::tui::program::Program;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step::PlanScreen;
pub use crate::tui::screen::step::data::Redo;
pub(super) use crate::tui::screen::step::data::{Picked, Why};

impl Picked {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::ByHand => "you selected it",
            Self::Again => "retry",
            Self::Kept(Why::Edited) => "the run returned to it after the edit",
            Self::Kept(Why::Restored) => "it was next when you quit",
            Self::Kept(Why::Looked) => "it was next before the re-check",
            Self::Kept(Why::Event) => "it was next before the input changed",
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
pub(super) fn again(screen: &mut PlanScreen, cx: &mut Cx, old: Option<&Program>) -> Vec<Effect> {
    let Some(redo) = screen.later.redo.take() else { return vec![] };
    let Some(program) = screen.program.clone() else { return vec![] };
    let taken = redo.turns.len();
    let is_there = |id: &ResourceId| program.graph.find(id).is_some();
    let next = redo.next.filter(is_there);
    let requests = requests(redo.turns.into_iter().filter(|(id, _)| is_there(id)).collect(), next.clone());
    // One for each, and one for the start of the run.
    if let Some(run) = screen.phase.run_mut() {
        run.repeat = Some(Repeat { left: requests.len() + 1, goes: redo.goes, logged: None });
        run.picked = next.clone().map(|next| (next, Picked::Kept(redo.why)));
    }
    let requests = screen.requests(requests);
    screen.shows.summary = false;
    let tells = matches!(redo.why, Why::Edited | Why::Event);
    let what = old.filter(|_| tells).map(|old| differences(old, &program)).unwrap_or_default();
    let steps = format!("{taken} step{}", if taken == 1 { "" } else { "s" });
    let words = match (redo.why, next) {
        (Why::Restored, Some(id)) => format!("restored: {steps} done, {id} is next; p starts again"),
        (Why::Restored, None) => format!("restored: {steps} done; p starts again"),
        (Why::Looked, _) => return requests,
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
    requests
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
