//! Re-checks the selected resource and its dependents; everything else keeps its result.
//!
//! If the code differs from the plan, but has the same resources and edges, the resource takes its declaration from the
//! code. The plan is that of the code again once no difference is left. If resources or edges differ, everything is
//! planned again, the differences are shown, and the run returns to its place. After an edit during a dry run, all
//! differing resources are re-checked.

use std::{collections::BTreeSet, sync::Arc};

use super::phase::{Busy, DryRequest};
use super::{State, cursor, planning, redo, summary};
use super::{cursor::look_around, redo::Redo, words::quoted};
use crate::graph::delta::{Delta, Fate, delta, has_same_places};
use crate::graph::{Graph, ResourceId};
use crate::plan::{Plan, Step};
use crate::tui::look::{Role, action_word};
pub use crate::tui::screen::step::data::Looked;
use crate::tui::{cx::Cx, effect::Effect, message::Job, parity, program::Program, screen::step::PlanScreen};
use rustc_hash::FxHashMap;

/// Re-checks the selected resource; makes a new plan if the graph has changed.
pub fn ask(screen: &mut PlanScreen, cx: &mut Cx) {
    let (Some(resource), Some(planned), Some(plan)) = (screen.cursor_id().cloned(), &screen.program, &screen.plan)
    else {
        return;
    };
    let newest = cx.programs.newest.as_ref().filter(|newest| screen.turn != cx.programs.turn && !newest.has_errors());
    let (program, turn) = match newest.map(|newest| with_one(planned, newest, &resource)) {
        None => (planned.clone(), screen.turn),
        Some(Some((program, stale))) => (program, if stale == 0 { cx.programs.turn } else { screen.turn }),
        Some(None) => {
            cx.show_notice(Role::Note, "the graph changed: checking everything again");
            redo::keep_place(screen);
            return planning::plan(screen, cx);
        }
    };
    let (plan, run) = (plan.clone(), screen.run);
    cx.log_command(format!("workbench preview {} --only {}", parity::entry_words(cx), quoted(&resource)));
    cx.start(Job::Plan);
    // The selected one, and all others that are known to be stale.
    let looked = screen.stale.resources().cloned().chain([resource.clone()]).collect();
    cx.effect(Effect::LookAgain(Box::new(Looked { program, plan, run, turn, resource: Some(resource), looked })))
}

/// The program was edited during a dry run: re-checks only the differing resources and their dependents. `None` if
/// resources or edges differ: then everything is planned again.
pub fn edited(screen: &mut PlanScreen, cx: &mut Cx) -> Option<()> {
    let newest = cx.programs.newest.as_ref().filter(|newest| !newest.has_errors())?;
    let (planned, plan) = (screen.program.as_ref()?, screen.plan.clone()?);
    let looked: BTreeSet<ResourceId> = differing(planned, newest)?.into_iter().collect();
    let (program, run, turn) = (newest.clone(), screen.run, cx.programs.turn);
    cx.log_command(format!("workbench preview {}", parity::entry_words(cx)));
    cx.start(Job::Plan);
    cx.effect(Effect::LookAgain(Box::new(Looked { program, plan, run, turn, resource: None, looked })));
    Some(())
}

/// The newest program with all differing resources as planned, except one; and how many those are. `None` if resources
/// or edges differ.
fn with_one(planned: &Program, newest: &Program, resource: &ResourceId) -> Option<(Arc<Program>, usize)> {
    let stale: Vec<_> = differing(planned, newest)?.into_iter().filter(|id| id != resource).collect();
    let mut graph: Graph = Graph::clone(&newest.graph);
    for id in &stale {
        let at = newest.graph.find(id)?;
        *graph.node_mut(at) = planned.graph.node(planned.graph.find(id)?).clone();
    }
    Some((Arc::new(newest.with_params(graph)), stale.len()))
}

/// The resources that differ between two programs of one shape; `None` if resources or edges differ.
pub(super) fn differing(planned: &Program, newest: &Program) -> Option<Vec<ResourceId>> {
    differing_by(planned, newest, &delta(&planned.graph, &newest.graph))
}

/// The same for a given comparison.
pub(super) fn differing_by(planned: &Program, newest: &Program, delta: &Delta) -> Option<Vec<ResourceId>> {
    let same_places = has_same_places(&planned.graph, &newest.graph);
    let is_same = !delta.edges && same_places && delta.resources.iter().all(|(_, fate)| *fate == Fate::Changed);
    is_same.then(|| delta.resources.iter().map(|(id, _)| id.clone()).collect())
}

/// The result: updates the plan, and repeats the steps that used the re-checked resources.
pub fn on_observed(screen: &mut PlanScreen, cx: &mut Cx, news: Looked) {
    let Looked { program, plan, run, turn, resource, looked } = news;
    let Some(resource) = resource else {
        let is_dropped = screen.phase.is_live() || turn != cx.programs.turn;
        // A compilation in progress brings the plan that was requested.
        if is_dropped && (screen.phase.is_live() || !cx.is_working(Job::Compile)) {
            planning::not_planned(screen);
        }
        if !is_dropped {
            planning::planned(screen, cx, program, plan, turn);
        }
        return;
    };
    if run != screen.run || screen.phase.is_live() || screen.is_running() {
        return;
    }
    let before = screen.plan.clone();
    let words = result_words(before.as_deref(), &plan, &resource, &looked);
    let is_same_graph = screen.program.as_ref().is_some_and(|old| Arc::ptr_eq(&old.graph, &program.graph));
    if is_same_graph {
        renew(screen, plan);
        turns_again(screen, cx, &looked);
    } else {
        screen.later.redo = Redo::of(screen);
        let was_summary = screen.shows.summary;
        planning::planned(screen, cx, program, plan, turn);
        screen.shows.summary = was_summary;
    }
    let left =
        if screen.turn == cx.programs.turn { "" } else { "; the source changed elsewhere too: p makes a new plan" };
    cx.show_notice(Role::Note, format!("{words}{left}"));
}

/// The rows show the current plan; their status in the run stays.
fn renew(state: &mut State, plan: Arc<Plan>) {
    state.list.rows.renew(&plan);
    state.plan = Some(plan);
    state.shows.against = None;
    summary::group(state);
    look_around(state, state.shows.only.clone());
    cursor::filter_again(state);
}

/// Steps back to before the first re-checked resource, and repeats the steps from there.
fn turns_again(step: &mut State, cx: &mut Cx, looked: &BTreeSet<ResourceId>) {
    let state = step;
    let Some(first) = state.taken.iter().position(|(id, _)| looked.contains(id)) else { return };
    let turns = state.taken[first..].to_vec();
    let next = state.next_id().cloned();
    let mut requests = vec![DryRequest::Back; turns.len()];
    requests.extend(redo::requests(turns, next));
    if let Some(run) = state.phase.run_mut() {
        run.busy = Some(Busy::Stepping { queued: 0 });
        run.repeat(requests.len());
    }
    state.requests(cx, requests)
}

/// The result in words.
fn result_words(before: Option<&Plan>, now: &Plan, resource: &ResourceId, looked: &BTreeSet<ResourceId>) -> String {
    let find = |plan: &Plan| plan.steps.iter().find(|step| step.resource == *resource).cloned();
    let word = |step: &Step| match &step.error {
        Some(_) => "would fail",
        None => action_word(step.action),
    };
    let what = match (before.and_then(find), find(now)) {
        (Some(before), Some(now)) if word(&before) != word(&now) => format!("{}, was {}", word(&now), word(&before)),
        (Some(before), Some(now)) if before != now => format!("still {}, but different", word(&now)),
        (_, Some(now)) => format!("{}, as before", word(&now)),
        (_, None) => "not in the plan".into(),
    };
    let of_all = |id: &ResourceId| *id == *resource || looked.contains(id);
    let before: FxHashMap<_, _> =
        before.iter().flat_map(|plan| &plan.steps).map(|step| (&step.resource, step)).collect();
    let checked = now.steps.iter().filter(|step| of_all(&step.resource));
    let (same, changed): (Vec<_>, Vec<_>) = checked.partition(|step| before.get(&step.resource) == Some(step));
    let parts = match (&changed[..], same.len()) {
        _ if looked.len() <= 1 => return format!("checked {resource}: {what}"),
        ([], _) => "all as before".into(),
        ([one], 0) => format!("{} changed", one.resource),
        ([one], same) => format!("{} changed, {same} as before", one.resource),
        (more, 0) => format!("{} changed", more.len()),
        (more, same) => format!("{} changed, {same} as before", more.len()),
    };
    format!("checked {} resources: {parts}", same.len() + changed.len())
}
