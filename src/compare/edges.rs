//! The differences in order, refreshes and containers of two graphs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graphs::{Difference, What};
use crate::graph::delta::differing_edges;
use crate::graph::{Edge, Graph, Node, NodeIndex, Reason, ResourceId};

/// With more differing edges than this, an edge counts as a difference even if others imply the same order.
const MOST_SEARCHES: usize = 2_000;

/// Whether a resource comes after another one; with `refreshes`, whether a change of that one refreshes it.
pub fn comes_after(graph: &Graph, from: &ResourceId, to: &ResourceId, refreshes: bool) -> bool {
    Search::of(graph).reaches((from, to), refreshes)
}

/// An edge by the ids of its ends.
type Ends<'g> = (&'g ResourceId, &'g ResourceId);

/// What is known of the edges between two nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Link {
    notify: bool,
    contains: bool,
    sends: bool,
}

/// Adds the rows for edges that only one graph has, between nodes that both have.
pub(super) fn compare(old: &Graph, new: &Graph, rows: &mut Vec<Difference>) {
    if !differing_edges(old, new) {
        return;
    }
    let (before, after) = (links(old, new), links(new, old));
    for (graph, of_one, of_other, is_new) in [(old, &before, &after, false), (new, &after, &before, true)] {
        let other = if is_new { old } else { new };
        let mut search = Search::of(other);
        // The order of the edges of a graph is that of its program.
        let mut seen = FxHashSet::default();
        for ends in graph.edges().iter().map(|edge| ends(graph, edge)).filter(|ends| seen.insert(*ends)) {
            let Some(link) = of_one.get(&ends) else { continue };
            let there = of_other.get(&ends).copied();
            if there == Some(*link) {
                continue;
            }
            let row = |what: What| {
                let at = |graph: &Graph| match graph.node(graph.find(ends.1)?) {
                    Node::Resource(resource) => resource.source.clone(),
                    Node::Anchor(anchor) => anchor.source.clone(),
                };
                let kind = kind_of(graph, ends.1);
                Difference { resource: ends.1.clone(), kind, what, places: [at(old), at(new)] }
            };
            if link.contains && there.is_none() && is_begin(graph, ends.0) && !is_begin_and_end(graph, ends) {
                rows.push(row(What::Contained { by: ends.0.clone(), is_new }));
            }
            if link.contains || there.is_some_and(|there| there.contains) {
                continue;
            }
            if link.sends != there.is_some_and(|there| there.sends) && link.sends {
                rows.push(row(What::Sent { from: ends.0.clone(), is_new }));
            }
            if there.is_none() && !search.reaches(ends, false) {
                rows.push(row(What::Order { after: ends.0.clone(), is_new }));
            }
            if link.notify && there.is_none_or(|there| !there.notify) && !search.reaches(ends, true) {
                rows.push(row(What::Refresh { by: ends.0.clone(), is_new }));
            }
        }
    }
}

fn ends<'g>(graph: &'g Graph, edge: &Edge) -> Ends<'g> {
    (graph.node(edge.from).id(), graph.node(edge.to).id())
}

fn links<'g>(graph: &'g Graph, other: &Graph) -> FxHashMap<Ends<'g>, Link> {
    let mut links: FxHashMap<Ends<'g>, Link> = FxHashMap::default();
    for edge in graph.edges() {
        let ends = ends(graph, edge);
        if other.find(ends.0).is_some() && other.find(ends.1).is_some() {
            let link = links.entry(ends).or_insert(Link { contains: true, ..Link::default() });
            link.notify |= edge.notify;
            link.sends |= edge.send.is_some();
            link.contains &= edge.reason == Reason::Containment;
        }
    }
    links
}

fn kind_of(graph: &Graph, id: &ResourceId) -> std::sync::Arc<str> {
    match graph.find(id).map(|at| graph.node(at)) {
        Some(Node::Resource(resource)) => resource.shown().kind.clone(),
        Some(Node::Anchor(anchor)) => anchor.kind.clone(),
        None => "".into(),
    }
}

fn is_begin(graph: &Graph, id: &ResourceId) -> bool {
    graph.find(id).is_some_and(|at| matches!(graph.node(at), Node::Anchor(anchor) if anchor.begin))
}

/// Whether both are the ends of one container.
fn is_begin_and_end(graph: &Graph, (from, to): Ends<'_>) -> bool {
    let name = |id: &ResourceId| match graph.find(id).map(|at| graph.node(at)) {
        Some(Node::Anchor(anchor)) => Some((anchor.kind.clone(), anchor.name.clone())),
        _ => None,
    };
    name(from).is_some() && name(from) == name(to)
}

/// Searches a graph for an order that several edges imply.
struct Search<'g> {
    graph: &'g Graph,
    next: Vec<Vec<(NodeIndex, bool)>>,
    searches: usize,
    /// The last start, with all that comes after it.
    last: Option<(NodeIndex, bool, FxHashSet<NodeIndex>)>,
}

impl<'g> Search<'g> {
    fn of(graph: &'g Graph) -> Self {
        let mut next = vec![Vec::new(); graph.len()];
        for edge in graph.edges() {
            next[edge.from.0 as usize].push((edge.to, edge.notify));
        }
        Self { graph, next, searches: 0, last: None }
    }

    /// Whether `to` comes after `from`; with `refreshes`, whether a change of `from` refreshes it through containers.
    fn reaches(&mut self, (from, to): Ends<'_>, refreshes: bool) -> bool {
        let (Some(from), Some(to)) = (self.graph.find(from), self.graph.find(to)) else { return false };
        if !matches!(&self.last, Some((start, which, _)) if *start == from && *which == refreshes) {
            if self.searches == MOST_SEARCHES {
                return false;
            }
            self.searches += 1;
            self.last = Some((from, refreshes, self.after(from, refreshes)));
        }
        self.last.as_ref().is_some_and(|(.., found)| found.contains(&to))
    }

    fn after(&self, from: NodeIndex, refreshes: bool) -> FxHashSet<NodeIndex> {
        let (mut found, mut open) = (FxHashSet::default(), vec![from]);
        while let Some(at) = open.pop() {
            // A refresh goes on through containers only.
            if refreshes && at != from && self.graph.node(at).takes_turn() {
                continue;
            }
            for (next, notify) in &self.next[at.0 as usize] {
                if (*notify || !refreshes) && found.insert(*next) {
                    open.push(*next);
                }
            }
        }
        found
    }
}
