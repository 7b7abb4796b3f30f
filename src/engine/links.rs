//! The outgoing and incoming edges of each node, in a compact form for large graphs.

use crate::graph::{Edge, Graph, NodeIndex};

/// Edge numbers by node, outgoing and incoming.
pub(super) struct Links {
    leaving: Table,
    entering: Table,
}

/// Concatenated lists of edge numbers, with the start of each node's list.
struct Table {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Table {
    fn new(nodes: usize, edges: &[Edge], end: impl Fn(&Edge) -> NodeIndex) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for edge in edges {
            starts[end(edge).0 as usize + 1] += 1;
        }
        for at in 0..nodes {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut table = vec![0u32; edges.len()];
        for (number, edge) in edges.iter().enumerate() {
            let slot = &mut next[end(edge).0 as usize];
            table[*slot as usize] = number as u32;
            *slot += 1;
        }
        Self { starts, edges: table }
    }

    fn of(&self, at: NodeIndex) -> &[u32] {
        let at = at.0 as usize;
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

impl Links {
    /// Collects the edges of a graph by node.
    pub fn new(graph: &Graph) -> Self {
        Self {
            leaving: Table::new(graph.len(), graph.edges(), |edge| edge.from),
            entering: Table::new(graph.len(), graph.edges(), |edge| edge.to),
        }
    }

    /// Returns the edges that leave a node. `graph` is the one that the links were made from.
    pub fn leaving<'g>(&'g self, graph: &'g Graph, at: NodeIndex) -> impl Iterator<Item = &'g Edge> {
        self.leaving.of(at).iter().map(|number| &graph.edges()[*number as usize])
    }

    /// Returns the edges that enter a node. `graph` is the one that the links were made from.
    pub fn entering<'g>(&'g self, graph: &'g Graph, at: NodeIndex) -> impl Iterator<Item = &'g Edge> {
        self.entering.of(at).iter().map(|number| &graph.edges()[*number as usize])
    }

    /// Returns the number of edges that enter a node.
    pub fn entering_count(&self, at: NodeIndex) -> u32 {
        self.entering.of(at).len() as u32
    }
}
