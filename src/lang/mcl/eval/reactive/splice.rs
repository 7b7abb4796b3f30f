//! Splices a few resources into or out of a graph: the units that did not run keep their nodes and edges, in place.
//!
//! The result equals that of [`graph::build`](crate::lang::mcl::graph::build) for the same units, in a fraction of its
//! time: only the nodes of the statements that ran are made, checked and compared. Everything that is not simple
//! (twins, exports, sends, edges that lose an end, cycles) is left to it, and so are error messages.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::assemble::Touched;
use super::unit::{UnitId, Units};
use crate::graph::delta::{Delta, Fate, differing_edges, differs};
use crate::graph::order::order;
use crate::graph::{Edge, Graph, Node, NodeIndex, Reason};
use crate::lang::mcl::graph::{Decl, Link, edge, node};
use crate::resource::autoedge;
use crate::source::Sources;
use crate::world::Stop;

/// More new edges than this are not searched one by one.
const MOST_LINKS: usize = 256;

/// Replaces the old declarations of the touched units by the new ones. `None` if that is not simple.
pub fn splice(
    old: &Graph,
    units: &Units,
    touched: &[Touched],
    sources: &Sources,
    stop: &Stop,
) -> Option<(Graph, Delta)> {
    let ran: FxHashSet<UnitId> = touched.iter().filter_map(|touched| touched.unit).collect();
    let now = ran.iter().filter_map(|id| Some(&units.get(*id)?.declared));
    let declared = touched.iter().map(|touched| &touched.before).chain(now.clone());
    let is_plain = |decl: &Decl| decl.meta.get("export").is_none() && decl.meta.get("hidden").is_none();
    let mut all = declared.clone();
    if !all.all(|one| one.collects.is_empty() && one.resources.iter().all(is_plain)) {
        return None;
    }
    if declared.flat_map(|one| &one.links).any(|link| link.send.is_some()) {
        return None;
    }
    let orders = |(one, two): (&str, &str)| autoedge::takes_part(one) && autoedge::takes_part(two);
    let mut links = touched.iter().map(|touched| &touched.before).chain(now).flat_map(|one| &one.links);
    let mut splice = Splice {
        old,
        nodes: Vec::with_capacity(old.len()),
        place_of: vec![None; old.len()],
        made: Vec::new(),
        orders: links.any(|link| orders((&link.from.0, &link.to.0))),
    };
    splice.nodes(units, &ran, sources)?;
    let graph = splice.graph()?;
    let (edges, are_new) = splice.edges(&graph, units, &ran, sources)?;
    splice.finish(graph, edges, are_new, stop)
}

struct Splice<'a> {
    old: &'a Graph,
    nodes: Vec<Arc<Node>>,
    /// The new position of each old node; `None` if it was removed.
    place_of: Vec<Option<NodeIndex>>,
    /// The newly made nodes.
    made: Vec<NodeIndex>,
    /// There are or were declared edges at places with automatic ones.
    orders: bool,
}

impl Splice<'_> {
    /// Lays out the nodes in the order of the program: old ones unchanged, and those of units that ran.
    fn nodes(&mut self, units: &Units, ran: &FxHashSet<UnitId>, sources: &Sources) -> Option<()> {
        let mut next = 0;
        for (id, unit) in units.in_order() {
            for decl in &unit.declared.resources {
                let at = NodeIndex(self.nodes.len() as u32);
                if ran.contains(&id) {
                    self.nodes.push(Arc::new(node(sources, decl)?));
                    self.made.push(at);
                    continue;
                }
                // Units that did not run keep their order, so each finds its node after that of the one before.
                while !is_of(self.old.shared_node(next)?, decl) {
                    next += 1;
                }
                self.nodes.push(Arc::clone(self.old.shared_node(next)?));
                self.place_of[next] = Some(at);
                next += 1;
            }
        }
        Some(())
    }

    /// The new nodes with their ids.
    fn graph(&self) -> Option<Graph> {
        self.old.with_nodes(self.nodes.clone(), &self.place_of, &self.made)
    }

    fn gone(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let all = self.place_of.iter().enumerate();
        all.filter(|(_, place)| place.is_none()).map(|(at, _)| NodeIndex(at as u32))
    }

    /// The new position of an old edge's end, which may have been declared again.
    fn end(&self, graph: &Graph, at: NodeIndex) -> Option<NodeIndex> {
        self.place_of[at.0 as usize].or_else(|| graph.find(self.old.node(at).id()))
    }

    /// The declared edges, in the order of the program, and whether they differ from before.
    fn edges(
        &self,
        graph: &Graph,
        units: &Units,
        ran: &FxHashSet<UnitId>,
        sources: &Sources,
    ) -> Option<(Vec<Edge>, bool)> {
        let old: Vec<&Edge> = self.old.edges().iter().filter(|edge| edge.reason != Reason::Auto).collect();
        let (mut edges, mut new) = (Vec::with_capacity(self.old.edges().len()), Vec::new());
        let mut next = 0;
        for (id, unit) in units.in_order() {
            for link in &unit.declared.links {
                if ran.contains(&id) {
                    let edge = edge(graph, sources, link)?;
                    new.push(edges.len());
                    edges.push(edge);
                    continue;
                }
                // A link that was merged with another has no edge of its own.
                while !is_between(self.old, old.get(next)?, link) {
                    next += 1;
                }
                let edge = old[next];
                let (from, to) = (self.end(graph, edge.from)?, self.end(graph, edge.to)?);
                edges.push(Edge { from, to, ..edge.clone() });
                next += 1;
            }
        }
        let ends = |edge: &Edge| (edge.from, edge.to);
        let is_twin =
            |at: &usize| edges.iter().enumerate().any(|(n, other)| n != *at && ends(other) == ends(&edges[*at]));
        if new.len() > MOST_LINKS || new.iter().any(is_twin) {
            return None;
        }
        let are_new = !new.is_empty() || edges.len() != old.len();
        Some((edges, are_new))
    }

    /// Adds the automatic edges, refuses cycles, and returns the differences.
    fn finish(&self, mut graph: Graph, mut edges: Vec<Edge>, are_new: bool, stop: &Stop) -> Option<(Graph, Delta)> {
        let kind = |node: &Node| matches!(node, Node::Resource(one) if autoedge::takes_part(&one.shown().kind));
        let by_new = self.made.iter().any(|at| kind(graph.node(*at)));
        let is_looked_for = self.orders || by_new || self.gone().any(|at| kind(self.old.node(at)));
        if !is_looked_for {
            for edge in self.old.edges().iter().filter(|edge| edge.reason == Reason::Auto) {
                let (from, to) = (self.end(&graph, edge.from)?, self.end(&graph, edge.to)?);
                edges.push(Edge { from, to, ..edge.clone() });
            }
        }
        *graph.edges_mut() = edges;
        if is_looked_for {
            if autoedge::needs_home(&graph) {
                return None;
            }
            autoedge::add(&mut graph, None, stop).ok()?;
        }
        if (are_new || is_looked_for) && !order(&graph).cycles.is_empty() {
            return None;
        }
        let edges = (are_new || is_looked_for) && differing_edges(self.old, &graph);
        let mut resources = Vec::new();
        for at in &self.made {
            let node = graph.node(*at);
            match self.old.find(node.id()).map(|at| self.old.node(at)) {
                None => resources.push((node.id().clone(), Fate::Added)),
                Some(before) if differs(before, node) => resources.push((node.id().clone(), Fate::Changed)),
                Some(_) => {}
            }
        }
        let gone = self.gone().map(|at| self.old.node(at).id()).filter(|id| graph.find(id).is_none());
        resources.extend(gone.map(|id| (id.clone(), Fate::Removed)));
        Some((graph, Delta { resources, edges }))
    }
}

/// Whether a declaration made a node.
fn is_of(node: &Node, decl: &Decl) -> bool {
    let Node::Resource(resource) = node else { return false };
    is_same(&resource.shown().name, &decl.name) && is_same(&resource.shown().kind, &decl.kind)
}

/// Whether a link made an edge.
fn is_between(graph: &Graph, edge: &Edge, link: &Link) -> bool {
    let is = |at: NodeIndex, (kind, name): &(Arc<str>, Arc<str>)| {
        let Node::Resource(resource) = graph.node(at) else { return false };
        is_same(&resource.shown().name, name) && is_same(&resource.shown().kind, kind)
    };
    is(edge.from, &link.from) && is(edge.to, &link.to) && edge.send == link.send
}

fn is_same(one: &Arc<str>, two: &Arc<str>) -> bool {
    Arc::ptr_eq(one, two) || one == two
}
