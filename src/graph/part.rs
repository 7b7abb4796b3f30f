//! A part of a graph: some resources, with what they cannot be brought right without.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Edge, Graph, NodeIndex, Reason, ResourceId};

/// The graph of some resources and of those that share values or refreshes with them: who sends to them, who receives
/// from them, whom they notify. Edges to all others are left out; those are taken to be right already.
pub fn part(graph: &Graph, wanted: impl IntoIterator<Item = ResourceId>) -> Graph {
    let mut kept: BTreeSet<NodeIndex> = wanted.into_iter().filter_map(|id| graph.find(&id)).collect();
    let (mut onwards, mut senders): (FxHashMap<_, Vec<_>>, FxHashMap<_, Vec<_>>) = Default::default();
    for edge in graph.edges() {
        if edge.notify || edge.reason == Reason::Send {
            onwards.entry(edge.from).or_default().push(edge.to);
        }
        if edge.reason == Reason::Send {
            senders.entry(edge.to).or_default().push(edge.from);
        }
    }
    let mut left: Vec<NodeIndex> = kept.iter().copied().collect();
    while let Some(at) = left.pop() {
        let near = [onwards.get(&at), senders.get(&at)].into_iter().flatten().flatten();
        left.extend(near.copied().filter(|node| kept.insert(*node)));
    }
    let mut part = Graph::default();
    let mut moved: FxHashMap<NodeIndex, NodeIndex> = FxHashMap::default();
    for at in kept {
        if let Ok(there) = part.add(graph.node(at).clone()) {
            moved.insert(at, there);
        }
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (moved.get(&edge.from), moved.get(&edge.to)) {
            part.connect(Edge { from: *from, to: *to, ..edge.clone() });
        }
    }
    part
}
