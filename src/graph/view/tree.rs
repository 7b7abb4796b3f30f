//! A tree of requirements: below each node its requirements. Each node is shown once, and other occurrences refer to
//! it.

use rustc_hash::FxHashMap;

use super::wiring::Wiring;
use super::{Drawn, FoldKey, Folds, Row, What};
use crate::graph::{Graph, NodeIndex};

/// A deeper node starts again at the left, further down, with a reference from here.
const MOST_DEPTH: usize = 24;

/// Draws the visible nodes, starting with those that no other node needs.
pub fn tree(graph: &Graph, wiring: &Wiring, shown: Option<&[bool]>, folds: &Folds, is_ascii: bool) -> Drawn {
    let mut needs = vec![Vec::new(); wiring.len()];
    let mut is_needed = vec![false; wiring.len()];
    for from in &wiring.order {
        // Filled in below if some nodes are hidden.
        if shown.is_none() {
            needs[*from as usize] = wiring.needs(*from).to_vec();
            is_needed[*from as usize] = !wiring.followers(*from).is_empty();
        }
    }
    if shown.is_some() {
        for (from, ways) in wiring.links(shown).iter().enumerate() {
            is_needed[from] = !ways.is_empty();
            ways.iter().for_each(|link| needs[link.to as usize].push(from as u32));
        }
        needs.iter_mut().for_each(|all| all.sort_unstable_by_key(|node| wiring.rank[*node as usize]));
    }
    let is_shown = |node: &u32| shown.is_none_or(|shown| shown[*node as usize]);
    // Without edges that point back there are no cycles, so these nodes lead to all others.
    let roots = wiring.order.iter().copied().filter(is_shown).filter(|node| !is_needed[*node as usize]);
    let glyphs = if is_ascii { &ASCII } else { &UNICODE };
    let (rows, row_of, later) = (Vec::new(), FxHashMap::default(), Vec::new());
    let mut growth = Growth { graph, needs: &needs, folds, glyphs, rows, row_of, later };
    roots.for_each(|root| growth.grow(root));
    let mut at = 0;
    while let Some(root) = growth.later.get(at).copied() {
        at += 1;
        growth.grow(root);
    }
    growth.drawn(graph.len())
}

/// The characters of branches.
struct Glyphs {
    /// Before a node with further siblings, and before the last one.
    fork: &'static str,
    last: &'static str,
    /// Below them.
    bar: &'static str,
    none: &'static str,
    open: &'static str,
    shut: &'static str,
    leaf: &'static str,
}

const UNICODE: Glyphs =
    Glyphs { fork: "├", last: "└", bar: "│ ", none: "  ", open: "▾ ", shut: "▸ ", leaf: "─ " };
const ASCII: Glyphs = Glyphs { fork: "|", last: "`", bar: "| ", none: "  ", open: "v ", shut: "> ", leaf: "- " };

/// A tree under construction.
struct Growth<'a> {
    graph: &'a Graph,
    needs: &'a [Vec<u32>],
    folds: &'a Folds,
    glyphs: &'a Glyphs,
    rows: Vec<Row>,
    /// The row of each node.
    row_of: FxHashMap<u32, usize>,
    /// Nodes that were too deep.
    later: Vec<u32>,
}

/// A node to draw.
struct Branch {
    node: u32,
    /// The drawing of the branches that pass it.
    lead: String,
    depth: usize,
    is_last: bool,
}

impl Growth<'_> {
    fn grow(&mut self, root: u32) {
        if self.row_of.contains_key(&root) {
            return;
        }
        let mut todo = vec![Branch { node: root, lead: String::new(), depth: 0, is_last: true }];
        while let Some(branch) = todo.pop() {
            self.branch(&branch, &mut todo);
        }
    }

    fn branch(&mut self, branch: &Branch, todo: &mut Vec<Branch>) {
        let Branch { node, lead, depth, is_last } = branch;
        let (glyphs, is_root) = (self.glyphs, *depth == 0);
        let fork = match (is_root, is_last) {
            (true, _) => "",
            (_, true) => glyphs.last,
            (_, false) => glyphs.fork,
        };
        let needs = &self.needs[*node as usize];
        let (what, sign) = if self.row_of.contains_key(node) {
            (What::Again { node: *node, is_above: true }, glyphs.leaf)
        } else if needs.is_empty() {
            (What::Node(*node), if is_root { glyphs.none } else { glyphs.leaf })
        } else if self.is_shut(*node) {
            (What::Shut(*node, needs.len() as u32), glyphs.shut)
        } else if *depth == MOST_DEPTH {
            self.later.push(*node);
            (What::Again { node: *node, is_above: false }, glyphs.leaf)
        } else {
            (What::Open(*node), glyphs.open)
        };
        if !matches!(what, What::Again { .. }) {
            self.row_of.insert(*node, self.rows.len());
        }
        self.rows.push(Row { what, before: format!("{lead}{fork}{sign}"), after: String::new() });
        if let What::Open(_) = what {
            let bar = match (is_root, is_last) {
                (true, _) => "",
                (_, true) => glyphs.none,
                (_, false) => glyphs.bar,
            };
            let lead = format!("{lead}{bar}");
            let child = |(at, node): (usize, &u32)| Branch {
                node: *node,
                lead: lead.clone(),
                depth: depth + 1,
                is_last: at + 1 == needs.len(),
            };
            todo.extend(needs.iter().enumerate().map(child).rev());
        }
    }

    fn is_shut(&self, node: u32) -> bool {
        !self.folds.is_none() && self.folds.has(&FoldKey::Needs(self.graph.node(NodeIndex(node)).id().clone()))
    }

    fn drawn(mut self, len: usize) -> Drawn {
        let mut drawn = Drawn::default();
        for (at, row) in self.rows.iter_mut().enumerate() {
            if let What::Again { node, is_above } = &mut row.what {
                *is_above = self.row_of.get(node).is_some_and(|there| *there < at);
                let number = drawn.numbers.len() as u32 + 1;
                drawn.numbers.entry(*node).or_insert(number);
            }
        }
        drawn.rows = self.rows;
        drawn.indexed(len)
    }
}

#[cfg(test)]
mod tests {
    use super::super::wiring::tests::wiring;
    use super::*;
    use crate::graph::{Anchor, Node, ResourceId};

    fn show(len: u32, edges: &[(u32, u32)], folds: &Folds) -> Vec<String> {
        let mut graph = Graph::default();
        for at in 0..len {
            let id = ResourceId(format!("n{at}").into());
            graph
                .add(Node::Anchor(Anchor {
                    id,
                    kind: "class".into(),
                    name: "n".into(),
                    begin: true,
                    rank: 0,
                    source: None,
                }))
                .expect("each id once");
        }
        let drawn = tree(&graph, &wiring(len, edges), None, folds, false);
        let show = |row: &Row| {
            let node = drawn.node_of(row).expect("all rows are nodes");
            let again = match row.what {
                What::Again { is_above, .. } => {
                    if is_above {
                        "^"
                    } else {
                        "v"
                    }
                }
                _ => "",
            };
            format!("{}{node}{again}", row.before)
        };
        drawn.rows.iter().map(show).collect()
    }

    #[test]
    fn a_shared_node_is_drawn_once() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3)];
        assert_eq!(show(4, &edges, &Folds::default()), ["▾ 3", "├▾ 1", "│ └─ 0", "└▾ 2", "  └─ 0^"]);
        let key = FoldKey::Needs(ResourceId("n1".into()));
        let folds = Folds { all: false, except: [key].into() };
        assert_eq!(show(4, &edges, &folds), ["▾ 3", "├▸ 1", "└▾ 2", "  └─ 0"]);
    }

    #[test]
    fn deep_subtrees_continue_below() {
        let edges: Vec<(u32, u32)> = (0..99).map(|at| (at, at + 1)).collect();
        let rows = show(100, &edges, &Folds::default());
        assert_eq!(rows.len(), 104, "{rows:#?}");
        assert!(rows[24].ends_with("75v") && rows[25] == "▾ 75", "{rows:#?}");
    }
}
