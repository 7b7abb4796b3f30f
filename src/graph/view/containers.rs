//! Containers of a graph with anchors: which anchors have rows, and what is in which container.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FoldKey, Folds};
use crate::graph::{Anchor, Graph, Node, NodeIndex};

/// The name of a container, as its resources have it.
fn label(anchor: &Anchor) -> String {
    if &*anchor.kind == "define" { anchor.name.to_string() } else { format!("{} {}", anchor.kind, anchor.name) }
}

/// The containers of each node, the outermost first. Those of an anchor include its own container.
pub(super) fn of_nodes(graph: &Graph) -> Vec<&[Arc<str>]> {
    let mut found: FxHashMap<&str, &[Arc<str>]> = FxHashMap::default();
    for node in (0..graph.len() as u32).map(NodeIndex) {
        let container = graph.resource(node).map_or(&[][..], |resource| &resource.container);
        for depth in 1..=container.len() {
            found.entry(&container[depth - 1]).or_insert(&container[..depth]);
        }
    }
    let of = |node: &'_ Node| match node {
        Node::Resource(_) => None,
        Node::Anchor(anchor) => found.get(&*label(anchor)).copied(),
    };
    let own = |at: u32| graph.resource(NodeIndex(at)).map_or(&[][..], |resource| &resource.container[..]);
    (0..).zip(graph.nodes()).map(|(at, node)| of(node).unwrap_or_else(|| own(at))).collect()
}

/// Marks the nodes with a row: the end of a container has none, and neither has a container without resources.
pub fn rows(graph: &Graph, shown: Option<&[bool]>) -> Vec<bool> {
    let containers = of_nodes(graph);
    let has_row = |(at, node): (usize, &Node)| {
        let is_row = match node {
            Node::Resource(_) => true,
            Node::Anchor(anchor) => anchor.begin && !containers[at].is_empty(),
        };
        is_row && shown.is_none_or(|shown| shown[at])
    };
    graph.nodes().enumerate().map(has_row).collect()
}

/// Folds each container that has no other one in it, if the graph has anchors.
pub fn innermost(graph: &Graph) -> Folds {
    let mut folds = Folds::default();
    if !graph.nodes().any(|node| matches!(node, Node::Anchor(_))) {
        return folds;
    }
    let all: FxHashSet<&[Arc<str>]> = of_nodes(graph).into_iter().collect();
    let outer: FxHashSet<&[Arc<str>]> =
        all.iter().flat_map(|names| (1..names.len()).map(|depth| &names[..depth])).collect();
    let inner = all.iter().filter(|names| !names.is_empty() && !outer.contains(*names));
    folds.except = inner.map(|names| FoldKey::Container(names.to_vec())).collect();
    folds
}
