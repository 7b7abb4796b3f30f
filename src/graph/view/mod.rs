//! The graph as rows for display: rails in apply order, and a tree of requirements.
//!
//! Input: a graph with its [`Wiring`], the visible nodes, and the folds. Output: a [`Drawn`] whose rows contain nodes
//! and their drawing. A face adds names, marks and colours, and shows a window of it. The cost is about linear in the
//! number of rows, so this is work for a thread and not for a frame. Deliberately absent: information of a plan or a
//! run about a resource.
//!
//! A fold is one row for several nodes. It must not violate the order: if nodes outside of a container are between its
//! members, as in `a, x, b` with `a -> x -> b` and `a`, `b` in one class, one row for `a` and `b` would come both
//! before and after `x`. Such a container is folded in connected parts, or not at all.

mod blocks;
mod containers;
mod rails;
mod tree;
mod wiring;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Graph, Node, NodeIndex, ResourceId};

pub use containers::{innermost, rows};
pub use rails::{rails, without_implied};
pub use tree::tree;
pub use wiring::Wiring;

/// The identity of a fold, which outlives a compilation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoldKey {
    /// All resources of a container, named from the outermost inwards.
    Container(Vec<Arc<str>>),
    /// Nodes in a row without branches, by the first of them.
    Chain(ResourceId),
    /// The requirements of a tree node.
    Needs(ResourceId),
}

/// The folded items: these, or all but these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    pub all: bool,
    pub except: BTreeSet<FoldKey>,
}

impl Folds {
    /// Whether an item is folded.
    pub fn has(&self, key: &FoldKey) -> bool {
        self.all != self.except.contains(key)
    }

    /// Folds an unfolded item, and unfolds a folded one.
    pub fn toggle(&mut self, key: FoldKey) {
        if !self.except.remove(&key) {
            self.except.insert(key);
        }
    }

    /// Whether nothing is folded.
    pub fn is_none(&self) -> bool {
        !self.all && self.except.is_empty()
    }
}

/// The content of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Lines only.
    Link,
    Node(u32),
    /// Several nodes: the position of the fold.
    Fold(u32),
    /// A tree node with its requirements below it.
    Open(u32),
    /// A tree node with folded requirements, and their number.
    Shut(u32, u32),
    /// A node that has another row, above or below this one.
    Again {
        node: u32,
        is_above: bool,
    },
}

/// One row: its content, with the drawing before and after its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub what: What,
    pub before: String,
    pub after: String,
}

impl Row {
    fn bare(what: What) -> Self {
        Self { what, before: String::new(), after: String::new() }
    }
}

/// Several nodes on one row, in apply order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    pub key: FoldKey,
    pub nodes: Vec<u32>,
}

/// Rows, and the mapping between them and nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    pub rows: Vec<Row>,
    /// The rows that a cursor can select.
    pub stops: Vec<u32>,
    pub folds: Vec<Fold>,
    /// The position of each node in `stops`; `u32::MAX` if it is not visible.
    place: Vec<u32>,
    /// The number of each tree node with several rows.
    pub numbers: rustc_hash::FxHashMap<u32, u32>,
    /// There were too many edges or nodes to draw any.
    pub is_plain: bool,
    /// Some of the nodes are in a container or a chain, so folding all would give fewer rows.
    pub may_fold: bool,
}

impl Drawn {
    /// Makes a list without lines, quickly.
    pub fn plain(graph: &Graph, wiring: &Wiring, nodes: impl Iterator<Item = u32>) -> Self {
        let rows: Vec<Row> = nodes.map(|node| Row::bare(What::Node(node))).collect();
        let may_fold = may_fold(graph, wiring, &rows);
        Drawn { rows, is_plain: true, may_fold, ..Drawn::default() }.indexed(graph.len())
    }

    /// Fills in the mapping; `len` is the number of nodes in the graph.
    fn indexed(mut self, len: usize) -> Self {
        self.place = vec![u32::MAX; len];
        self.stops.clear();
        for (at, row) in self.rows.iter().enumerate() {
            let stop = self.stops.len() as u32;
            match row.what {
                What::Link => continue,
                What::Node(node) | What::Open(node) | What::Shut(node, _) => self.place[node as usize] = stop,
                What::Fold(fold) => {
                    for node in &self.folds[fold as usize].nodes {
                        self.place[*node as usize] = stop;
                    }
                }
                What::Again { .. } => {}
            }
            self.stops.push(at as u32);
        }
        self
    }

    /// Returns the stop of a node.
    pub fn stop_of(&self, node: u32) -> Option<usize> {
        self.place.get(node as usize).filter(|stop| **stop != u32::MAX).map(|stop| *stop as usize)
    }

    /// Returns the row of a stop.
    pub fn row_at(&self, stop: usize) -> Option<&Row> {
        self.rows.get(*self.stops.get(stop)? as usize)
    }

    /// Returns the node of a stop; for a fold the first one.
    pub fn node_at(&self, stop: usize) -> Option<u32> {
        self.node_of(self.row_at(stop)?)
    }

    /// Returns the node of a row: for a fold the first one, for a link none.
    pub fn node_of(&self, row: &Row) -> Option<u32> {
        match row.what {
            What::Link => None,
            What::Node(node) | What::Open(node) | What::Shut(node, _) | What::Again { node, .. } => Some(node),
            What::Fold(fold) => self.folds.get(fold as usize)?.nodes.first().copied(),
        }
    }

    /// Returns the nodes of a stop.
    pub fn nodes_at(&self, stop: usize) -> &[u32] {
        match self.row_at(stop).map(|row| &row.what) {
            Some(What::Fold(fold)) => &self.folds[*fold as usize].nodes,
            Some(What::Node(node) | What::Open(node) | What::Shut(node, _) | What::Again { node, .. }) => {
                std::slice::from_ref(node)
            }
            Some(What::Link) | None => &[],
        }
    }
}

impl Drawn {
    /// The end of a container is found on the row of its begin.
    fn with_ends(mut self, graph: &Graph) -> Self {
        for (at, node) in graph.nodes().enumerate() {
            let Node::Anchor(anchor) = node else { continue };
            let begin = anchor.id.0.strip_suffix("/end").filter(|_| !anchor.begin && self.place[at] == u32::MAX);
            if let Some(begin) = begin.and_then(|id| graph.find(&ResourceId(id.into()))) {
                self.place[at] = self.place[begin.0 as usize];
            }
        }
        self
    }
}

fn may_fold(graph: &Graph, wiring: &Wiring, rows: &[Row]) -> bool {
    let is_foldable = |node: u32| {
        let is_contained = graph.resource(NodeIndex(node)).is_some_and(|one| !one.container.is_empty());
        is_contained || matches!(wiring.followers(node), [next] if wiring.needs(*next).len() == 1)
    };
    rows.iter().any(|row| matches!(row.what, What::Node(node) if is_foldable(node)))
}
