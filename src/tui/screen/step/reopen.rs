//! Events of a watched program: the resources that an event changed become pending again in the dry run.
//!
//! Their dependents become pending too. All other steps are repeated over the new graph, so that the run is back at its
//! place, or at the first pending step if it was at its end. The cursor follows, unless the user looks at another row.
//! Breakpoints stay.

use std::collections::BTreeSet;

use super::live::Phase;
use super::observe::{Looked, differing_by};
use super::redo::{Redo, Why};
use super::{planning, watch};
use crate::graph::ResourceId;
use crate::graph::delta::{Fate, delta};
use crate::tui::effect::Effect;
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::state::State as Tui;

/// The shown event has another graph than the plan. Does nothing while the plan is running; it is checked again
/// afterwards.
pub(super) fn reopen(tui: &mut Tui) -> Vec<Effect> {
    let state = &tui.screens.step;
    let is_busy = state.running || tui.cx.is_working(Job::Plan);
    let shown = tui.cx.events.program().filter(|program| !program.has_errors() && !program.graph.is_empty());
    let (Some(program), Some(planned), Some(plan)) = (shown.cloned(), state.program.clone(), state.plan.clone()) else {
        return vec![];
    };
    if is_busy {
        return vec![];
    }
    if let Some(effects) = watch::reopens(tui, &program) {
        return effects;
    }
    let state = &tui.screens.step;
    let delta = delta(&planned.graph, &program.graph);
    let changed = delta.resources.iter().filter(|(_, fate)| *fate != Fate::Removed);
    let changed: Vec<ResourceId> = changed.map(|(id, _)| id.clone()).collect();
    let again = with_dependents(&program, &changed);
    // A live run has changed the machine: its steps are not repeated, and everything is checked again.
    let was_live = state.live.phase == Phase::Over;
    let turns = state.again.taken.iter().filter(|(id, _)| !was_live && !again.contains(id)).cloned().collect();
    let first = program.ways.order.iter().map(|node| program.id(*node)).find(|id| again.contains(*id));
    let next = state.next_id().cloned().or_else(|| first.cloned());
    let (run, turn) = (state.run, tui.cx.programs.turn);
    tui.screens.step.again.redo = Some(Redo { turns, next, why: Why::Event });
    tui.screens.step.cursor.reopened = Some(!tui.screens.step.cursor.is_moved);
    match differing_by(&planned, &program, &delta).filter(|_| !was_live) {
        Some(looked) => {
            let looked = looked.into_iter().collect();
            tui.cx.start(Job::Plan);
            vec![Effect::LookAgain(Box::new(Looked { program, plan, run, turn, resource: None, looked }))]
        }
        None => planning::plan(tui),
    }
}

/// Some resources with all of their dependents.
fn with_dependents(program: &Program, ids: &[ResourceId]) -> BTreeSet<ResourceId> {
    let mut all: BTreeSet<ResourceId> = BTreeSet::new();
    for id in ids {
        if let Some(node) = program.graph.find(id).filter(|_| all.insert(id.clone())) {
            all.extend(program.dependents(node).into_iter().map(|node| program.id(node).clone()));
        }
    }
    all
}
