//! The refreshes that a run which was cut off still owes.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Edge, Graph, Node, NodeIndex, ResourceId};

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
    // The flag tells whether a refresh has already been asked for on the way.
    let mut open: Vec<(NodeIndex, bool)> =
        changed.iter().filter_map(|id| graph.find(id)).map(|at| (at, false)).collect();
    while let Some((at, asked)) = open.pop() {
        for edge in leaving.get(&at).into_iter().flatten() {
            let asked = asked || edge.notify;
            match graph.node(edge.to) {
                Node::Resource(resource) if asked && !ended.contains(&resource.id) => {
                    found.insert(resource.id.clone());
                }
                Node::Resource(_) => {}
                Node::Anchor(_) if seen.insert((edge.to, asked)) => open.push((edge.to, asked)),
                Node::Anchor(_) => {}
            }
        }
    }
    found
}
