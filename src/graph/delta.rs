//! The difference between two graphs of one program: resources by their ids, and whether their order differs.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::{Graph, Node, Resource, ResourceId};

/// How a resource differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    Added,
    Changed,
    Removed,
}

/// The difference from one graph to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta {
    /// The differing resources in the order of the new graph, then the removed ones in the order of the old one.
    pub resources: Vec<(ResourceId, Fate)>,
    /// Whether edges between resources of both graphs differ.
    pub edges: bool,
}

impl Delta {
    /// Whether the graphs have equal resources in the same order.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && !self.edges
    }
}

/// Compares two graphs, without the places of declarations.
pub fn delta(old: &Graph, new: &Graph) -> Delta {
    let mut resources = Vec::new();
    for node in new.nodes() {
        let fate = match old.find(node.id()).map(|at| old.node(at)) {
            None => Fate::Added,
            Some(before) if !std::ptr::eq(before, node) && differs(before, node) => Fate::Changed,
            Some(_) => continue,
        };
        resources.push((node.id().clone(), fate));
    }
    let gone = old.nodes().filter(|node| new.find(node.id()).is_none());
    resources.extend(gone.map(|node| (node.id().clone(), Fate::Removed)));
    Delta { edges: differing_edges(old, new), resources }
}

/// Whether all nodes of two graphs have the same places, regardless of their contents.
pub fn has_same_places(old: &Graph, new: &Graph) -> bool {
    old.len() == new.len() && old.nodes().zip(new.nodes()).all(|(one, other)| one.id() == other.id())
}

/// Whether two nodes with the same id differ.
pub fn differs(old: &Node, new: &Node) -> bool {
    match (old, new) {
        (Node::Resource(old), Node::Resource(new)) => {
            let Resource {
                id: _,
                declared,
                mapped,
                meta,
                tags,
                container,
                source: _,
                target,
                is_elsewhere,
                is_virtual,
                exported,
            } = old;
            *declared != new.declared
                || *mapped != new.mapped
                || *meta != new.meta
                || *tags != new.tags
                || *container != new.container
                || *target != new.target
                || *is_elsewhere != new.is_elsewhere
                || *is_virtual != new.is_virtual
                || *exported != new.exported
        }
        (Node::Anchor(_), Node::Anchor(_)) => false,
        _ => true,
    }
}

/// Whether edges between resources of both graphs differ.
pub fn differing_edges(old: &Graph, new: &Graph) -> bool {
    fn between<'a>(
        graph: &'a Graph,
        other: &'a Graph,
    ) -> impl Iterator<Item = (&'a ResourceId, &'a ResourceId, bool, Option<(&'a str, &'a str)>)> {
        graph.edges().iter().filter_map(move |edge| {
            let (from, to) = (graph.node(edge.from).id(), graph.node(edge.to).id());
            other.find(from)?;
            other.find(to)?;
            Some((from, to, edge.notify, edge.send.as_ref().map(|(send, recv)| (&**send, &**recv))))
        })
    }
    let is_same_list = old.edges().len() == new.edges().len() && between(old, new).eq(between(new, old));
    if is_same_list {
        return false;
    }
    let (one, two): (FxHashSet<_>, FxHashSet<_>) = (between(old, new).collect(), between(new, old).collect());
    one != two
}
