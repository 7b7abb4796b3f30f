//! Pending refreshes of earlier deploys: a deploy was interrupted, stopped, or failed between a change and its dependents.
//!
//! The next apply finds the change made and would not refresh anything. So the journal of a deploy gives the changes and the
//! finished turns, and the edges of the graph that is applied now give the resources to refresh.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{Deploy, History, StateError, StateFolder, Summary};
use crate::graph::{Edge, Graph, Node, NodeIndex, ResourceId};
use crate::host::journal::{Begin, End, Ending, Purpose};

/// Older deploys are not read.
const BACK: usize = 100;

/// The pending refreshes of a program, since its last deploy that finished without a failure.
///
/// `begin` is of the next deploy; deploys of other programs do not count. Neither does an undo, nor what it undid.
pub fn pending_refreshes(
    state: &StateFolder,
    graph: &Graph,
    begin: &Begin,
) -> Result<BTreeSet<ResourceId>, StateError> {
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
        if is_undo || is_complete(&summary) {
            break;
        }
        open.push(history.read(deploy)?);
    }
    open.reverse();
    Ok(pending_after(graph, &open))
}

/// The pending refreshes after deploys of one piece of work, oldest first: a later deploy may repeat a refresh.
pub fn pending_after(graph: &Graph, deploys: &[Deploy]) -> BTreeSet<ResourceId> {
    let mut still = BTreeSet::new();
    for deploy in deploys {
        let changed = deploy.steps.iter().filter(|step| step.was_done()).map(|step| step.intent.resource.clone());
        let done = deploy.outcomes.iter().filter(|outcome| outcome.state == "done");
        let ended: BTreeSet<ResourceId> = done.map(|outcome| outcome.resource.clone()).collect();
        still.retain(|id| !ended.contains(id));
        still.extend(pending_behind(graph, &changed.collect(), &ended));
    }
    still
}

/// Whether a deploy finished every turn.
fn is_complete(summary: &Summary) -> bool {
    let is_whole = |end: &End| end.how == Ending::Finished && end.failed + end.blocked + end.skipped == 0;
    summary.end.as_ref().is_some_and(is_whole)
}

/// Returns the program of a deploy.
fn program(begin: &Begin) -> PathBuf {
    begin.folder.join(&begin.entry)
}

/// Returns the resources that changed ones notify, directly or through anchors, and whose own step did not end since.
///
/// At least once: a service whose restart was cut off is restarted again.
pub fn pending_behind(
    graph: &Graph,
    changed: &BTreeSet<ResourceId>,
    ended: &BTreeSet<ResourceId>,
) -> BTreeSet<ResourceId> {
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
