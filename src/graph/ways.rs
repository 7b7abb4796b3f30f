//! The dependencies of a graph, indexed once, so that a query about one node costs only its result.

use rustc_hash::FxHashSet;

use super::order::order;
use super::{Edge, Graph, NodeIndex, Reason};

/// The incoming and outgoing edges of each node, and the apply order. Valid only for the graph that it was made from.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// Nodes in apply order. Nodes on a cycle come last.
    pub order: Vec<NodeIndex>,
    /// The position of each node in `order`.
    pub rank: Vec<u32>,
    /// Incoming and outgoing edges of each node, as positions in the graph's list.
    pub needs: Vec<Vec<u32>>,
    pub needed_by: Vec<Vec<u32>>,
}

impl Ways {
    /// Indexes a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut needs = vec![Vec::new(); graph.len()];
        let mut needed_by = vec![Vec::new(); graph.len()];
        for (at, edge) in graph.edges().iter().enumerate() {
            needs[edge.to.0 as usize].push(at as u32);
            needed_by[edge.from.0 as usize].push(at as u32);
        }
        let order = apply_order(graph);
        let mut rank = vec![0; graph.len()];
        for (position, node) in order.iter().enumerate() {
            rank[node.0 as usize] = position as u32;
        }
        Self { order, rank, needs, needed_by }
    }

    /// Returns all direct and indirect dependents of a node, in apply order.
    pub fn dependents(&self, graph: &Graph, node: NodeIndex) -> Vec<NodeIndex> {
        self.reached(graph, node, &self.needed_by, |edge| edge.to)
    }

    /// Returns all direct and indirect requirements of a node, in apply order.
    pub fn requirements(&self, graph: &Graph, node: NodeIndex) -> Vec<NodeIndex> {
        self.reached(graph, node, &self.needs, |edge| edge.from)
    }

    /// Returns the most informative edge from each direct predecessor, in order of declaration. A declared edge is more
    /// informative than an automatic one.
    pub fn nearest<'g>(&self, graph: &'g Graph, node: NodeIndex) -> Vec<&'g Edge> {
        let mut edges: Vec<&Edge> = self.needs[node.0 as usize].iter().map(|at| &graph.edges()[*at as usize]).collect();
        edges.sort_by_key(|edge| (edge.from, edge.reason == Reason::Auto, edge.reason));
        edges.dedup_by_key(|edge| edge.from);
        edges
    }

    /// Returns the edges that explain why a node waits: as [`Ways::nearest`], with the begins of containers replaced by
    /// their requirements.
    pub fn causes<'g>(&self, graph: &'g Graph, node: NodeIndex) -> Vec<&'g Edge> {
        let (mut causes, mut seen, mut todo) = (Vec::new(), FxHashSet::default(), vec![node]);
        while let Some(at) = todo.pop() {
            for edge in self.nearest(graph, at) {
                let is_begin = edge.reason == Reason::Containment && !graph.node(edge.from).takes_turn();
                if !is_begin {
                    causes.push(edge);
                } else if seen.insert(edge.from) {
                    todo.push(edge.from);
                }
            }
        }
        causes
    }

    /// Returns the nodes that wait only for this one, in apply order. Nodes without a turn, such as the end of a class,
    /// are followed.
    pub fn freed(&self, graph: &Graph, node: NodeIndex, is_open: impl Fn(NodeIndex) -> bool) -> Vec<NodeIndex> {
        let mut seen = FxHashSet::default();
        let mut todo = vec![node];
        let mut freed = Vec::new();
        while let Some(at) = todo.pop() {
            for next in self.needed_by[at.0 as usize].iter().map(|edge| graph.edges()[*edge as usize].to) {
                if !seen.insert(next) || !self.waits_for_none_but(graph, next, node, &is_open) {
                    continue;
                }
                if graph.node(next).takes_turn() {
                    freed.push(next);
                } else {
                    todo.push(next);
                }
            }
        }
        freed.sort_by_key(|node| self.rank[node.0 as usize]);
        freed
    }

    fn waits_for_none_but(
        &self,
        graph: &Graph,
        node: NodeIndex,
        but: NodeIndex,
        is_open: &impl Fn(NodeIndex) -> bool,
    ) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![node];
        while let Some(at) = todo.pop() {
            for need in self.needs[at.0 as usize].iter().map(|edge| graph.edges()[*edge as usize].from) {
                if need == but {
                    continue;
                }
                if graph.node(need).takes_turn() {
                    if is_open(need) {
                        return false;
                    }
                } else if seen.insert(need) {
                    todo.push(need);
                }
            }
        }
        true
    }

    fn reached(
        &self,
        graph: &Graph,
        from: NodeIndex,
        edges: &[Vec<u32>],
        end: impl Fn(&Edge) -> NodeIndex,
    ) -> Vec<NodeIndex> {
        let mut seen = vec![false; graph.len()];
        let mut todo = vec![from];
        let mut found = Vec::new();
        while let Some(node) = todo.pop() {
            for edge in &edges[node.0 as usize] {
                let next = end(&graph.edges()[*edge as usize]);
                if !std::mem::replace(&mut seen[next.0 as usize], true) {
                    found.push(next);
                    todo.push(next);
                }
            }
        }
        found.sort_by_key(|node| self.rank[node.0 as usize]);
        found
    }
}

/// Returns every node after its requirements. Nodes on a cycle come last, in order of declaration.
fn apply_order(graph: &Graph) -> Vec<NodeIndex> {
    let mut order = order(graph).order;
    let mut is_placed = vec![false; graph.len()];
    order.iter().for_each(|node| is_placed[node.0 as usize] = true);
    order.extend((0..graph.len() as u32).filter(|node| !is_placed[*node as usize]).map(NodeIndex));
    order
}
