//! Events of a program that goes on: each opens the resources that it changed again, as steps of the dry run.
//!
//! What hangs on them comes again with them. All other turns are taken anew over the graph as it is now, so that the run stands
//! where it stood, or at the first of those that came again where it was at its end. The cursor goes there too, unless somebody
//! looks at another row. Breakpoints hold.

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

/// The graph of the event that is shown is another than the one of the plan. Nothing while that is at work; it is asked again
/// afterwards.
pub(super) fn reopen(tui: &mut Tui) -> Vec<Effect> {
    let state = &tui.step;
    let is_busy = state.running || tui.is_working(Job::Plan);
    let shown = tui.events.program().filter(|program| !program.has_errors() && !program.graph.is_empty());
    let (Some(program), Some(planned), Some(plan)) = (shown.cloned(), state.program.clone(), state.plan.clone()) else {
        return vec![];
    };
    if is_busy {
        return vec![];
    }
    if let Some(effects) = watch::reopens(tui, &program) {
        return effects;
    }
    let state = &tui.step;
    let delta = delta(&planned.graph, &program.graph);
    let changed = delta.resources.iter().filter(|(_, fate)| *fate != Fate::Removed);
    let changed: Vec<ResourceId> = changed.map(|(id, _)| id.clone()).collect();
    let again = with_dependents(&program, &changed);
    // What a live run did stands on the machine: no turn of it is taken again, and all is looked at anew.
    let was_live = state.live.phase == Phase::Over;
    let turns = state.taken.iter().filter(|(id, _)| !was_live && !again.contains(id)).cloned().collect();
    let first = program.ways.order.iter().map(|node| program.id(*node)).find(|id| again.contains(*id));
    let next = state.next.clone().or_else(|| first.cloned());
    let (run, turn) = (state.run, tui.turn);
    tui.step.redo = Some(Redo { turns, next, why: Why::Event });
    tui.step.reopened = Some(!tui.step.is_moved);
    match differing_by(&planned, &program, &delta).filter(|_| !was_live) {
        Some(looked) => {
            let looked = looked.into_iter().collect();
            tui.start(Job::Plan);
            vec![Effect::LookAgain(Box::new(Looked { program, plan, run, turn, resource: None, looked }))]
        }
        None => planning::plan(tui),
    }
}

/// Some resources, and all that waits for any of them.
fn with_dependents(program: &Program, ids: &[ResourceId]) -> BTreeSet<ResourceId> {
    let mut all: BTreeSet<ResourceId> = BTreeSet::new();
    for id in ids {
        if let Some(node) = program.graph.find(id).filter(|_| all.insert(id.clone())) {
            all.extend(program.dependents(node).into_iter().map(|node| program.id(node).clone()));
        }
    }
    all
}
