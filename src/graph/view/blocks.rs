//! Groups nodes into rows: single nodes, folded containers, folded chains, and the links between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::wiring::{Link, Wiring};
use super::{Fold, FoldKey, Folds, containers};
use crate::graph::{Graph, NodeIndex};

/// Future rows, in an order in which every link points down.
pub(super) struct Blocks {
    pub all: Vec<Block>,
    /// The outgoing links of each block, as positions, without duplicates.
    pub after: Vec<Vec<Link>>,
}

pub(super) struct Block {
    /// In apply order.
    pub nodes: Vec<u32>,
    /// `None` for a single node.
    pub key: Option<FoldKey>,
}

impl Block {
    /// Returns the block as a fold; `None` for a single node.
    pub fn fold(self) -> Option<Fold> {
        Some(Fold { key: self.key?, nodes: self.nodes })
    }
}

/// Groups the visible nodes into blocks.
pub(super) fn blocks(graph: &Graph, wiring: &Wiring, shown: Option<&[bool]>, folds: &Folds) -> Blocks {
    let links = wiring.links(shown);
    let nodes: Vec<u32> =
        wiring.order.iter().copied().filter(|node| shown.is_none_or(|shown| shown[*node as usize])).collect();
    let mut groups = folded(graph, &nodes, folds);
    // First whole, then in connected parts, then not at all.
    for split in [parts as fn(&Groups, &[Vec<Link>], &[bool]) -> Groups, singles] {
        let torn = torn(&groups, &links);
        if !torn.contains(&true) {
            break;
        }
        groups = split(&groups, &links, &torn);
    }
    let blocks = ordered(groups, &links, wiring);
    if folds.is_none() { blocks } else { chains(graph, blocks, folds) }
}

/// The members of each group, and the group of each node.
struct Groups {
    members: Vec<(Vec<u32>, Option<FoldKey>)>,
    of: Vec<u32>,
}

impl Groups {
    fn new(members: Vec<(Vec<u32>, Option<FoldKey>)>, len: usize) -> Self {
        let mut of = vec![u32::MAX; len];
        for (at, (nodes, _)) in members.iter().enumerate() {
            nodes.iter().for_each(|node| of[*node as usize] = at as u32);
        }
        Self { members, of }
    }

    /// Returns the links between groups without duplicates. A near link replaces a far one.
    fn after(&self, links: &[Vec<Link>]) -> Vec<Vec<Link>> {
        let of_one = |(at, (nodes, _)): (usize, &(Vec<u32>, Option<FoldKey>))| {
            let ways = nodes.iter().flat_map(|node| &links[*node as usize]);
            let mut ways: Vec<Link> = ways
                .map(|link| Link { to: self.of[link.to as usize], ..*link })
                .filter(|link| link.to != at as u32)
                .collect();
            ways.sort_unstable_by_key(|link| (link.to, link.is_far));
            ways.dedup_by_key(|link| link.to);
            ways
        };
        self.members.iter().enumerate().map(of_one).collect()
    }
}

fn folded(graph: &Graph, nodes: &[u32], folds: &Folds) -> Groups {
    let mut members: Vec<(Vec<u32>, Option<FoldKey>)> = Vec::new();
    let mut found: FxHashMap<&[Arc<str>], usize> = FxHashMap::default();
    let of = containers::of_nodes(graph);
    for node in nodes {
        let container = of[*node as usize];
        let folded = if folds.is_none() { None } else { outermost(container, folds) };
        let Some((prefix, key)) = folded else {
            members.push((vec![*node], None));
            continue;
        };
        let at = *found.entry(prefix).or_insert_with(|| {
            members.push((Vec::new(), Some(key)));
            members.len() - 1
        });
        members[at].0.push(*node);
    }
    for (nodes, key) in &mut members {
        if nodes.len() == 1 {
            *key = None;
        }
    }
    Groups::new(members, graph.len())
}

/// Returns the outermost folded container.
fn outermost<'a>(container: &'a [Arc<str>], folds: &Folds) -> Option<(&'a [Arc<str>], FoldKey)> {
    (1..=container.len())
        .map(|depth| &container[..depth])
        .map(|prefix| (prefix, FoldKey::Container(prefix.to_vec())))
        .find(|(_, key)| folds.has(key))
}

/// Returns the groups that would have to come both before and after others, including the groups between them.
fn torn(groups: &Groups, links: &[Vec<Link>]) -> Vec<bool> {
    let after = groups.after(links);
    let mut before = vec![Vec::new(); after.len()];
    for (at, ways) in after.iter().enumerate() {
        ways.iter().for_each(|link| before[link.to as usize].push(at as u32));
    }
    let onward: Vec<Vec<u32>> = after.iter().map(|ways| ways.iter().map(|link| link.to).collect()).collect();
    let mut is_left = vec![true; after.len()];
    for (into, out) in [(&before, &onward), (&onward, &before)] {
        let mut waits: Vec<usize> =
            into.iter().map(|all| all.iter().filter(|one| is_left[**one as usize]).count()).collect();
        let mut free: Vec<u32> =
            (0..after.len() as u32).filter(|at| is_left[*at as usize] && waits[*at as usize] == 0).collect();
        while let Some(at) = free.pop() {
            is_left[at as usize] = false;
            for next in &out[at as usize] {
                waits[*next as usize] -= 1;
                if waits[*next as usize] == 0 && is_left[*next as usize] {
                    free.push(*next);
                }
            }
        }
    }
    is_left
}

/// Splits torn groups into connected parts.
fn parts(groups: &Groups, links: &[Vec<Link>], torn: &[bool]) -> Groups {
    let mut root: Vec<u32> = (0..links.len() as u32).collect();
    fn find(root: &mut [u32], mut at: u32) -> u32 {
        while root[at as usize] != at {
            root[at as usize] = root[root[at as usize] as usize];
            at = root[at as usize];
        }
        at
    }
    for (at, (nodes, _)) in groups.members.iter().enumerate().filter(|(at, _)| torn[*at]) {
        for node in nodes {
            for link in links[*node as usize].iter().filter(|link| groups.of[link.to as usize] == at as u32) {
                let (one, other) = (find(&mut root, *node), find(&mut root, link.to));
                root[one as usize] = other;
            }
        }
    }
    let mut members: Vec<(Vec<u32>, Option<FoldKey>)> = Vec::new();
    for (at, (nodes, key)) in groups.members.iter().enumerate() {
        if !torn[at] {
            members.push((nodes.clone(), key.clone()));
            continue;
        }
        let mut found: FxHashMap<u32, usize> = FxHashMap::default();
        for node in nodes {
            let place = *found.entry(find(&mut root, *node)).or_insert_with(|| {
                members.push((Vec::new(), key.clone()));
                members.len() - 1
            });
            members[place].0.push(*node);
        }
    }
    for (nodes, key) in &mut members {
        if nodes.len() == 1 {
            *key = None;
        }
    }
    Groups::new(members, links.len())
}

/// Splits torn groups into their members.
fn singles(groups: &Groups, links: &[Vec<Link>], torn: &[bool]) -> Groups {
    let mut members = Vec::new();
    for (at, (nodes, key)) in groups.members.iter().enumerate() {
        if torn[at] {
            members.extend(nodes.iter().map(|node| (vec![*node], None)));
        } else {
            members.push((nodes.clone(), key.clone()));
        }
    }
    Groups::new(members, links.len())
}

/// Orders groups by their first members, as far as their links allow.
fn ordered(groups: Groups, links: &[Vec<Link>], wiring: &Wiring) -> Blocks {
    let after = groups.after(links);
    let mut waits = vec![0u32; after.len()];
    after.iter().flatten().for_each(|link| waits[link.to as usize] += 1);
    let first = |at: u32| groups.members[at as usize].0.first().map_or(0, |node| wiring.rank[*node as usize]);
    let free = (0..after.len() as u32).filter(|at| waits[*at as usize] == 0);
    let mut ready: BinaryHeap<Reverse<(u32, u32)>> = free.map(|at| Reverse((first(at), at))).collect();
    let mut order = Vec::with_capacity(after.len());
    while let Some(Reverse((_, at))) = ready.pop() {
        order.push(at);
        for link in &after[at as usize] {
            waits[link.to as usize] -= 1;
            if waits[link.to as usize] == 0 {
                ready.push(Reverse((first(link.to), link.to)));
            }
        }
    }
    let mut place = vec![0u32; after.len()];
    order.iter().enumerate().for_each(|(at, group)| place[*group as usize] = at as u32);
    let mut members: Vec<Option<_>> = groups.members.into_iter().map(Some).collect();
    let all = order.iter().filter_map(|group| members[*group as usize].take());
    let all = all.map(|(nodes, key)| Block { nodes, key }).collect();
    let ways = |group: &u32| {
        let mut ways: Vec<Link> =
            after[*group as usize].iter().map(|link| Link { to: place[link.to as usize], ..*link }).collect();
        ways.sort_unstable_by_key(|link| link.to);
        ways
    };
    Blocks { all, after: order.iter().map(ways).collect() }
}

/// Folds nodes in a row without branches.
fn chains(graph: &Graph, blocks: Blocks, folds: &Folds) -> Blocks {
    let len = blocks.all.len();
    let (mut into, mut from) = (vec![0u32; len], vec![u32::MAX; len]);
    for (at, ways) in blocks.after.iter().enumerate() {
        for link in ways {
            into[link.to as usize] += 1;
            from[link.to as usize] = at as u32;
        }
    }
    let is_single = |at: usize| blocks.all[at].key.is_none();
    // Whether a block continues the previous one.
    let continues = |at: usize| {
        let before = from[at] as usize;
        into[at] == 1 && is_single(at) && is_single(before) && blocks.after[before].len() == 1
    };
    let mut head: Vec<u32> = (0..len as u32).collect();
    for at in 0..len {
        if continues(at) {
            head[at] = head[from[at] as usize];
        }
    }
    let is_folded: Vec<bool> = (0..len)
        .map(|at| head[at] as usize == at && is_single(at))
        .zip(&blocks.all)
        .map(|(is_head, block)| is_head && folds.has(&chain_key(graph, block.nodes[0])))
        .collect();
    let merged = |at: usize| head[at] as usize != at && is_folded[head[at] as usize];
    let mut place = vec![0u32; len];
    let mut kept = 0;
    for at in 0..len {
        if merged(at) {
            place[at] = place[head[at] as usize];
        } else {
            place[at] = kept;
            kept += 1;
        }
    }
    let (mut all, mut after): (Vec<Block>, Vec<Vec<Link>>) = (Vec::new(), Vec::new());
    for (at, (block, ways)) in blocks.all.into_iter().zip(blocks.after).enumerate() {
        let mut ways: Vec<Link> = ways.into_iter().map(|link| Link { to: place[link.to as usize], ..link }).collect();
        ways.retain(|link| link.to != place[at]);
        if merged(at) {
            let into = place[at] as usize;
            if all[into].key.is_none() {
                all[into].key = Some(chain_key(graph, all[into].nodes[0]));
            }
            all[into].nodes.extend(block.nodes);
            after[into] = ways;
        } else {
            all.push(block);
            after.push(ways);
        }
    }
    Blocks { all, after }
}

fn chain_key(graph: &Graph, node: u32) -> FoldKey {
    FoldKey::Chain(graph.node(NodeIndex(node)).id().clone())
}
