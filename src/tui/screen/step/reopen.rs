//! Events of a watched program: the resources that an event changed become pending again in the dry run.
//!
//! Their dependents become pending too. All other steps are repeated over the new graph, so that the run is back at its
//! place, or at the first pending step if it was at its end. The cursor follows, unless the user looks at another row.
//! Breakpoints stay.

use crate::tui::cx::Cx;
use crate::tui::screen::step::PlanScreen;
use std::collections::BTreeSet;

use super::observe::{Looked, differing_by};
use super::redo::{Redo, Why};
use super::{planning, watch};
use crate::graph::ResourceId;
use crate::graph::delta::{Fate, delta};
use crate::tui::effect::Effect;
use crate::tui::message::Job;
use crate::tui::program::Program;

/// The shown event has another graph than the plan. Does nothing while the plan is running; it is checked again
/// afterwards.
pub(super) fn reopen(screen: &mut PlanScreen, cx: &mut Cx) -> Vec<Effect> {
    let is_busy = screen.is_running() || cx.is_working(Job::Plan);
    let shown = cx.events.program().filter(|program| !program.has_errors() && !program.graph.is_empty());
    let (Some(program), Some(planned), Some(plan)) = (shown.cloned(), screen.program.clone(), screen.plan.clone())
    else {
        return vec![];
    };
    if is_busy {
        return vec![];
    }
    if let Some(effects) = watch::reopens(screen, cx, &program) {
        return effects;
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
            vec![Effect::LookAgain(Box::new(Looked { program, plan, run, turn, resource: None, looked }))]
        }
        None => planning::plan(screen, cx),
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
