//! The order of a graph: every node after its requirements, and equals in order of declaration.
//!
//! Of all ready nodes the one declared first comes next: of the nodes without requirements, in a sorted list, and of
//! those whose requirements are over, in a heap. A node without a turn is finished at once, and the ends of a container
//! are ordered by the container's rank. Runs and faces use this order. `a, b, c` with `c -> a` gives `b, c, a`. Nodes on
//! a cycle, and nodes that wait for one, have no order. Each group of nodes that reach each other ([`loops`]) gives one
//! cycle: the shortest through its first node.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex as DiNode};
use rustc_hash::FxHashMap;

use super::{Graph, NodeIndex};

/// The result of [`order`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order {
    /// Each node once, without those that a cycle contains or blocks.
    pub order: Vec<NodeIndex>,
    /// The edges of each cycle, by their position in the graph: the end of one edge is the start of the next.
    pub cycles: Vec<Vec<usize>>,
}

/// Orders a graph.
pub fn order(graph: &Graph) -> Order {
    let neighbours = Neighbours::new(graph);
    let mut waits: Vec<u32> = vec![0; graph.len()];
    for edge in graph.edges() {
        waits[edge.to.0 as usize] += 1;
    }
    let key = |node: u32| (graph.place(NodeIndex(node)), node);
    let mut first: Vec<_> = (0..graph.len() as u32).filter(|node| waits[*node as usize] == 0).map(key).collect();
    first.sort_unstable();
    let mut first = first.into_iter().peekable();
    let mut released = BinaryHeap::new();
    let mut order = Vec::with_capacity(graph.len());
    loop {
        let next = match released.peek() {
            Some(Reverse(next)) => first.next_if(|other| other < next).or_else(|| released.pop().map(|least| least.0)),
            None => first.next(),
        };
        let Some((_, node)) = next else { break };
        order.push(NodeIndex(node));
        for (next, _) in neighbours.after(node) {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                released.push(Reverse(key(next)));
            }
        }
    }
    let cycles = if order.len() == graph.len() { Vec::new() } else { cycles(graph, &neighbours, &waits) };
    Order { order, cycles }
}

/// The outgoing edges of each node, in one list.
struct Neighbours {
    starts: Vec<u32>,
    /// The target of an edge, and the edge's position in the graph.
    edges: Vec<(u32, u32)>,
}

impl Neighbours {
    fn new(graph: &Graph) -> Self {
        let mut starts = vec![0; graph.len() + 1];
        for edge in graph.edges() {
            starts[edge.from.0 as usize + 1] += 1;
        }
        for node in 0..graph.len() {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut edges = vec![(0, 0); graph.edges().len()];
        for (at, edge) in graph.edges().iter().enumerate() {
            let slot = &mut free[edge.from.0 as usize];
            edges[*slot as usize] = (edge.to.0, at as u32);
            *slot += 1;
        }
        Self { starts, edges }
    }

    fn after(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (start, end) = (self.starts[node as usize], self.starts[node as usize + 1]);
        self.edges[start as usize..end as usize].iter().copied()
    }
}

/// Returns one cycle for each group of nodes that reach each other, ordered by the first declared node.
fn cycles(graph: &Graph, neighbours: &Neighbours, waits: &[u32]) -> Vec<Vec<usize>> {
    let left = |node: NodeIndex| waits[node.0 as usize] > 0;
    let edges = graph.edges().iter().filter(|edge| left(edge.from) && left(edge.to));
    let mut groups = loops(graph.len(), edges.map(|edge| (edge.from.0 as usize, edge.to.0 as usize)));
    groups.sort_unstable_by_key(|group| group[0]);
    let mut group_of = vec![None; graph.len()];
    for (at, group) in groups.iter().enumerate() {
        group.iter().for_each(|member| group_of[*member] = Some(at));
    }
    let mut reached_by = FxHashMap::default();
    let through = |group: &Vec<usize>| {
        reached_by.clear();
        cycle_through(group[0] as u32, neighbours, &group_of, &mut reached_by)
    };
    groups.iter().filter_map(through).collect()
}

/// Returns the groups of nodes that reach each other, each sorted. A group comes after those that lead to it.
pub fn loops(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), ()>::with_capacity(nodes, 0);
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(DiNode::new(from), DiNode::new(to), ());
    }
    // Not Tarjan's: petgraph's recurses on the stack, and a chain may be as long as a program.
    let groups = kosaraju_scc(&graph).into_iter().rev();
    let is_loop = |group: &Vec<DiNode>| group.len() > 1 || graph.contains_edge(group[0], group[0]);
    let sorted = |group: Vec<DiNode>| {
        let mut members: Vec<usize> = group.into_iter().map(DiNode::index).collect();
        members.sort_unstable();
        members
    };
    groups.filter(is_loop).map(sorted).collect()
}

/// Returns the shortest way from a node back to itself within its group, if there is one.
fn cycle_through(
    start: u32,
    neighbours: &Neighbours,
    group: &[Option<usize>],
    reached_by: &mut FxHashMap<u32, (u32, u32)>,
) -> Option<Vec<usize>> {
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for (next, edge) in neighbours.after(node) {
            if group[next as usize] != group[start as usize] || reached_by.contains_key(&next) {
                continue;
            }
            reached_by.insert(next, (node, edge));
            if next == start {
                return Some(way_to(start, reached_by));
            }
            queue.push_back(next);
        }
    }
    None
}

fn way_to(start: u32, reached_by: &FxHashMap<u32, (u32, u32)>) -> Vec<usize> {
    let mut cycle = Vec::new();
    let mut node = start;
    while let Some((before, edge)) = reached_by.get(&node) {
        cycle.push(*edge as usize);
        node = *before;
        if node == start {
            break;
        }
    }
    cycle.reverse();
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Anchor, Edge, Node, Reason, ResourceId};

    fn graph(nodes: u32, edges: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::default();
        for at in 0..nodes {
            let id = ResourceId(at.to_string().into());
            let anchor = Anchor { kind: "class".into(), name: id.0.clone(), id, begin: true, rank: at, source: None };
            graph.add(Node::Anchor(anchor)).expect("ids differ");
        }
        for (from, to) in edges {
            let (from, to) = (NodeIndex(*from), NodeIndex(*to));
            graph.connect(Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None });
        }
        graph
    }

    fn ordered(nodes: u32, edges: &[(u32, u32)]) -> Vec<u32> {
        order(&graph(nodes, edges)).order.into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn equals_stay_as_declared() {
        assert_eq!(ordered(4, &[]), [0, 1, 2, 3]);
        assert_eq!(ordered(3, &[(2, 0)]), [1, 2, 0]);
        assert_eq!(ordered(4, &[(3, 1), (1, 0), (3, 1)]), [2, 3, 1, 0]);
    }

    #[test]
    fn each_group_gives_its_shortest_cycle() {
        // 0 and 1 form one, 2 to 4 another with a longer way through 5; 6 waits for a cycle and is in none.
        let edges = [(0, 1), (1, 0), (2, 3), (3, 4), (4, 5), (5, 2), (4, 2), (4, 6), (7, 7)];
        let found = order(&graph(8, &edges));
        assert_eq!(found.order, []);
        assert_eq!(found.cycles, [vec![0, 1], vec![2, 3, 6], vec![8]]);
    }

    #[test]
    fn long_chains_take_no_stack() {
        let edges: Vec<(u32, u32)> = (0..200_000).map(|at| (at + 1, at % 200_000)).chain([(0, 200_000)]).collect();
        assert_eq!(order(&graph(200_001, &edges)).cycles[0].len(), 200_001);
    }
}
