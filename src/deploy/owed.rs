//! The refreshes that earlier deploys still owe: one was cut off, stopped, or failed between a change and those that
//! listen to it.
//!
//! Who applies again finds the change made, and would tell nobody of it. So what a deploy did and did not come to is read
//! back from its journal, and held against the edges of the graph that is applied now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{Deploy, History, StateError, StateFolder, Summary};
use crate::graph::{Edge, Graph, Node, NodeIndex, ResourceId};
use crate::host::journal::{Begin, End, Ending, Purpose};

/// Deploys further back are not asked.
const BACK: usize = 100;

/// What the deploys of a program still owe, since the last of them that came to a good end.
///
/// `begin` is of the deploy that comes next; what other programs did between is none of its business. An undo owes
/// nothing, and what it took back neither.
pub fn still_owed(state: &StateFolder, graph: &Graph, begin: &Begin) -> Result<BTreeSet<ResourceId>, StateError> {
    let history = History::new(state);
    let mut open = Vec::new();
    for deploy in history.numbers()?.into_iter().rev().take(BACK) {
        let summary = history.summary(deploy)?;
        let Some(there) = &summary.begin else { continue };
        let is_undo = matches!(there.purpose, Purpose::Undo { .. });
        let of = if let Purpose::Undo { deploy } = there.purpose { history.summary(deploy)?.begin } else { None };
        if program(of.as_ref().unwrap_or(there)) != program(begin) {
            continue;
        }
        if is_undo || is_paid(&summary) {
            break;
        }
        open.push(history.read(deploy)?);
    }
    open.reverse();
    Ok(owed_by(graph, &open))
}

/// What deploys owe that are one piece of work, oldest first: what one paid may be owed again by the next.
pub fn owed_by(graph: &Graph, deploys: &[Deploy]) -> BTreeSet<ResourceId> {
    let mut still = BTreeSet::new();
    for deploy in deploys {
        let changed = deploy.steps.iter().filter(|step| step.was_done()).map(|step| step.intent.resource.clone());
        let done = deploy.outcomes.iter().filter(|outcome| outcome.state == "done");
        let ended: BTreeSet<ResourceId> = done.map(|outcome| outcome.resource.clone()).collect();
        still.retain(|id| !ended.contains(id));
        still.extend(owed(graph, &changed.collect(), &ended));
    }
    still
}

/// Whether a deploy came to everything.
fn is_paid(summary: &Summary) -> bool {
    let is_whole = |end: &End| end.how == Ending::Finished && end.failed + end.blocked + end.skipped == 0;
    summary.end.as_ref().is_some_and(is_whole)
}

/// Names the program that a deploy is of.
fn program(begin: &Begin) -> PathBuf {
    begin.folder.join(&begin.entry)
}

/// The resources behind those that changed, by edges that notify and through anchors, whose own turn did not end since.
///
/// At least once: a service whose restart was cut off is restarted again.
pub fn owed(graph: &Graph, changed: &BTreeSet<ResourceId>, ended: &BTreeSet<ResourceId>) -> BTreeSet<ResourceId> {
    let mut leaving: BTreeMap<NodeIndex, Vec<&Edge>> = BTreeMap::new();
    for edge in graph.edges() {
        leaving.entry(edge.from).or_default().push(edge);
    }
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<NodeIndex> = changed.iter().filter_map(|id| graph.find(id)).collect();
    while let Some(at) = open.pop() {
        for edge in leaving.get(&at).into_iter().flatten().filter(|edge| edge.notify) {
            match graph.node(edge.to) {
                Node::Resource(resource) if !ended.contains(&resource.id) => {
                    found.insert(resource.id.clone());
                }
                Node::Resource(_) => {}
                Node::Anchor(_) if seen.insert(edge.to) => open.push(edge.to),
                Node::Anchor(_) => {}
            }
        }
    }
    found
}
