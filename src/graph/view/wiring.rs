//! The predecessors and successors of each node without duplicates, in apply order.

use crate::graph::{Graph, Node, NodeIndex};

/// The neighbours of every node, without edges that point back in the order, such as those of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wiring {
    /// The nodes in apply order.
    pub order: Vec<u32>,
    /// The position of each node in the order.
    pub rank: Vec<u32>,
    needs: Vec<Vec<u32>>,
    followers: Vec<Vec<u32>>,
    is_anchor: Vec<bool>,
}

/// A link from one visible node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub to: u32,
    /// It leads through hidden resources.
    pub is_far: bool,
}

/// The limit on steps through hidden nodes. Further links are not drawn.
const MOST_STEPS: usize = 2_000_000;

impl Wiring {
    /// `order` contains every node once.
    pub fn new(graph: &Graph, order: &[NodeIndex]) -> Self {
        let order: Vec<u32> = order.iter().map(|node| node.0).collect();
        let mut rank = vec![0; graph.len()];
        for (position, node) in order.iter().enumerate() {
            rank[*node as usize] = position as u32;
        }
        let (mut needs, mut followers) = (vec![Vec::new(); graph.len()], vec![Vec::new(); graph.len()]);
        for edge in graph.edges() {
            let (from, to) = (edge.from.0, edge.to.0);
            if rank[from as usize] < rank[to as usize] {
                followers[from as usize].push(to);
                needs[to as usize].push(from);
            }
        }
        for list in followers.iter_mut().chain(&mut needs) {
            list.sort_unstable_by_key(|node| rank[*node as usize]);
            list.dedup();
        }
        let is_anchor = graph.nodes().map(|node| matches!(node, Node::Anchor(_))).collect();
        Self { order, rank, needs, followers, is_anchor }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the direct requirements of a node.
    pub fn needs(&self, node: u32) -> &[u32] {
        &self.needs[node as usize]
    }

    /// Returns the direct dependents of a node.
    pub fn followers(&self, node: u32) -> &[u32] {
        &self.followers[node as usize]
    }

    /// Marks a node and all of its dependents, or all of its requirements.
    pub fn reach(&self, node: u32, onward: bool) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if let Some(there) = seen.get_mut(node as usize).filter(|there| !**there) {
                *there = true;
                todo.extend(if onward { self.followers(node) } else { self.needs(node) });
            }
        }
        seen
    }

    /// Marks the nodes on all ways between two, including both; `None` if there is no way.
    pub fn between(&self, one: u32, other: u32) -> Option<Vec<bool>> {
        let (first, last) =
            if self.rank[one as usize] <= self.rank[other as usize] { (one, other) } else { (other, one) };
        let (onward, back) = (self.reach(first, true), self.reach(last, false));
        onward[last as usize].then(|| onward.iter().zip(&back).map(|(on, back)| *on && *back).collect())
    }

    /// Returns the links from each visible node to the next visible ones.
    pub(super) fn links(&self, shown: Option<&[bool]>) -> Vec<Vec<Link>> {
        let near = |to: &u32| Link { to: *to, is_far: false };
        let Some(shown) = shown else {
            return self.followers.iter().map(|all| all.iter().map(near).collect()).collect();
        };
        let mut links = vec![Vec::new(); self.len()];
        // The node from which each node was last visited.
        let mut seen = vec![u32::MAX; self.len()];
        let mut steps = 0;
        for from in self.order.iter().copied().filter(|node| shown[*node as usize]) {
            let mut todo: Vec<(u32, bool)> = self.followers(from).iter().map(|to| (*to, false)).collect();
            // Near ones first: a link through other nodes adds no information.
            todo.sort_by_key(|(to, _)| !shown[*to as usize]);
            todo.reverse();
            while let Some((to, is_far)) = todo.pop() {
                steps += 1;
                if std::mem::replace(&mut seen[to as usize], from) == from || steps > MOST_STEPS {
                    continue;
                }
                if shown[to as usize] {
                    links[from as usize].push(Link { to, is_far });
                } else {
                    // A way through the end of a container is not longer.
                    let is_far = is_far || !self.is_anchor[to as usize];
                    todo.extend(self.followers(to).iter().map(|to| (*to, is_far)));
                }
            }
            links[from as usize].sort_unstable_by_key(|link| self.rank[link.to as usize]);
        }
        links
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::graph::{Anchor, Edge, Reason, ResourceId};

    /// Makes a graph of nodes `0..len` with edges, in the order of their numbers.
    pub fn wiring(len: u32, edges: &[(u32, u32)]) -> Wiring {
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
        for (from, to) in edges {
            let (from, to) = (NodeIndex(*from), NodeIndex(*to));
            graph.connect(Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None });
        }
        Wiring::new(&graph, &(0..len).map(NodeIndex).collect::<Vec<_>>())
    }

    #[test]
    fn a_path_shows_all_nodes_between_two() {
        let wiring = wiring(6, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 5)]);
        let between = |one, other| {
            let there = wiring.between(one, other)?;
            Some((0..6).filter(|node| there[*node as usize]).collect::<Vec<u32>>())
        };
        assert_eq!(between(3, 0), Some(vec![0, 1, 2, 3]));
        assert_eq!(between(4, 5), None);
    }

    #[test]
    fn paths_lead_through_hidden_nodes() {
        let mut wiring = wiring(4, &[(0, 1), (1, 2), (0, 2), (1, 3)]);
        let near = Link { to: 2, is_far: false };
        // A way through the end of a container is not longer, a way through a resource is.
        for is_anchor in [true, false] {
            wiring.is_anchor.fill(is_anchor);
            let links = wiring.links(Some(&[true, false, true, true]));
            assert_eq!(links[0], [near, Link { to: 3, is_far: !is_anchor }]);
        }
    }
}
