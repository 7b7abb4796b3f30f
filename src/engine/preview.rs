//! Complete dry runs: the same run as an apply, on an overlay, for a whole graph or a part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Graph, NodeIndex, ResourceId};
use crate::host::{Host, Look, Overlay};
use crate::plan::{Elsewhere, Plan, Step};

use super::footprints::Footprints;
use super::message::Event;
use super::state::States;
use super::{Options, Run};

/// Returns what an apply would do, in order. Reads the machine through `look` and cannot write to it.
pub fn preview(
    graph: Arc<Graph>,
    look: Arc<dyn Look>,
    entry: &str,
    options: Options,
    emit: &mut dyn FnMut(Event),
) -> Plan {
    let options = Options { one_way: true, ..options };
    let (compiled_for, elsewhere) = (options.compiled_for.clone(), Elsewhere::of(&graph));
    let mut run = Run::new(graph, Box::new(Overlay::new(look)), options);
    run.run_to_end(emit);
    Plan { elsewhere, ..Plan::new(entry, compiled_for, run.into_steps()) }
}

/// Returns what two programs would do one after the other: the second one from the state that the first one leaves.
pub fn preview_both(both: [(Arc<Graph>, &str); 2], look: Arc<dyn Look>, options: impl Fn() -> Options) -> [Plan; 2] {
    let host: Arc<dyn Host> = Arc::new(Overlay::new(look));
    both.map(|(graph, entry)| {
        let options = Options { one_way: true, ..options() };
        let compiled_for = options.compiled_for.clone();
        let mut run = Run::on(graph, Arc::clone(&host), options);
        run.run_to_end(&mut |_| ());
        Plan::new(entry, compiled_for, run.into_steps())
    })
}

/// Returns what an apply would do to some resources. Their dependencies are checked too, because a prediction needs
/// them. All other resources count as unchanged.
pub fn preview_of(
    graph: Arc<Graph>,
    look: Arc<dyn Look>,
    entry: &str,
    wanted: &BTreeSet<ResourceId>,
    options: Options,
) -> Plan {
    let wanted: FxHashSet<NodeIndex> = wanted.iter().filter_map(|id| graph.find(id)).collect();
    let checked = reach(&wanted, &Near::new(&graph, &look).before);
    let others = graph.resources().filter(|(at, _)| !checked.contains(at));
    let unchanged = others.map(|(_, resource)| resource.id.clone()).collect();
    preview(graph, look, entry, Options { unchanged: Arc::new(unchanged), ..options }, &mut |_| ())
}

/// Updates a plan for some resources and all their dependents, in the plan's order.
///
/// Their dependencies are checked too, because a prediction needs them. All other steps stay as planned. If a
/// dependency differs from the plan, its dependents are checked as well. Returns the checked resources. The plan's
/// graph must have the same resources and edges.
pub fn look_again(
    graph: &Arc<Graph>,
    look: &Arc<dyn Look>,
    plan: &Plan,
    wanted: &BTreeSet<ResourceId>,
    options: &Options,
    emit: &mut dyn FnMut(Event),
) -> (Plan, BTreeSet<ResourceId>) {
    let planned: BTreeMap<&ResourceId, &Step> = plan.steps.iter().map(|step| (&step.resource, step)).collect();
    let near = Near::new(graph, look);
    let mut wanted: FxHashSet<NodeIndex> = wanted.iter().filter_map(|id| graph.find(id)).collect();
    loop {
        let checked = near.around(&wanted);
        let is_known = |id: &ResourceId| graph.find(id).is_some_and(|at| !checked.contains(&at));
        let known = planned.iter().filter(|(id, _)| is_known(id)).map(|(id, step)| ((*id).clone(), (*step).clone()));
        let options = Options { one_way: true, known: Arc::new(known.collect()), ..options.clone() };
        let stop = options.stop.clone();
        let mut run = Run::new(Arc::clone(graph), Box::new(Overlay::new(Arc::clone(look))), options);
        run.run_to_end(emit);
        let mut found: FxHashMap<ResourceId, Step> =
            run.into_steps().into_iter().map(|step| (step.resource.clone(), step)).collect();
        let differs = |at: &NodeIndex| {
            let id = graph.node(*at).id();
            let (Some(before), Some(now)) = (planned.get(id), found.get(id)) else { return false };
            Step { index: before.index, ..now.clone() } != **before
        };
        let more: Vec<NodeIndex> = checked.iter().copied().filter(|at| !wanted.contains(at) && differs(at)).collect();
        let dependents = near.after(&wanted);
        if !stop.is_cancelled() && more.iter().any(|at| !dependents.contains(at)) {
            wanted.extend(more);
            continue;
        }
        let step = |before: &Step| match graph.find(&before.resource) {
            Some(at) if checked.contains(&at) => {
                let now = found.remove(&before.resource).unwrap_or_else(|| before.clone());
                Step { index: before.index, ..now }
            }
            // Only its place in the source may have changed.
            at => {
                let source = at.and_then(|at| graph.resource(at)).map(|resource| resource.source.clone());
                Step { source: source.unwrap_or_else(|| before.source.clone()), ..before.clone() }
            }
        };
        let steps = plan.steps.iter().map(step).collect();
        let ids = checked.iter().filter(|at| graph.resource(**at).is_some()).map(|at| graph.node(*at).id().clone());
        let now = Plan::new(&plan.entry, plan.compiled_for.clone(), steps);
        return (Plan { elsewhere: Elsewhere::of(graph), ..now }, ids.collect());
    }
}

/// The direct predecessors and successors of each node, by edges and by common paths.
struct Near {
    before: Vec<Vec<NodeIndex>>,
    after: Vec<Vec<NodeIndex>>,
}

impl Near {
    fn new(graph: &Arc<Graph>, look: &Arc<dyn Look>) -> Self {
        let overlay = Overlay::new(Arc::clone(look));
        let states = States::new(Arc::clone(graph));
        let footprints = Footprints::new(&states, None, &*overlay.turn());
        let all = || (0..graph.len() as u32).map(NodeIndex);
        let mut near = Self { before: vec![Vec::new(); graph.len()], after: vec![Vec::new(); graph.len()] };
        for at in all() {
            let entering = states.links().entering(graph, at).map(|edge| edge.from);
            let before: Vec<NodeIndex> = entering.chain(footprints.before(at).iter().copied()).collect();
            before.iter().for_each(|before| near.after[before.0 as usize].push(at));
            near.before[at.0 as usize] = before;
        }
        near
    }

    /// Returns these nodes and all their dependents.
    fn after(&self, from: &FxHashSet<NodeIndex>) -> FxHashSet<NodeIndex> {
        reach(from, &self.after)
    }

    /// The same, and all dependencies of those.
    fn around(&self, from: &FxHashSet<NodeIndex>) -> FxHashSet<NodeIndex> {
        reach(&self.after(from), &self.before)
    }
}

fn reach(from: &FxHashSet<NodeIndex>, ways: &[Vec<NodeIndex>]) -> FxHashSet<NodeIndex> {
    let mut seen = from.clone();
    let mut open: Vec<NodeIndex> = from.iter().copied().collect();
    while let Some(at) = open.pop() {
        open.extend(ways[at.0 as usize].iter().copied().filter(|next| seen.insert(*next)));
    }
    seen
}
