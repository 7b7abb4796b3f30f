//! Rails: a row for each node in apply order, with lines down to its successors, like an inverted `jj log`.

use petgraph::adj::UnweightedList;
use petgraph::algo::tred::dag_transitive_reduction_closure;
use renderdag::{Ancestor, GraphRowRenderer, Renderer};

use super::blocks::{Block, Blocks, blocks};
use super::wiring::{Link, Wiring};
use super::{Drawn, Folds, Row, What, containers, may_fold};
use crate::graph::{Graph, Node};

/// More lanes than this leave no room for names.
const MOST_LANES: usize = 24;
/// The cost of drawing grows faster than the graph. Larger graphs are shown as a list.
const MOST_NODES: usize = 20_000;
/// The reduction has a list of all descendants of each node.
const MOST_REDUCED: usize = 2_000;
/// A placeholder for the node in the renderer's output.
const NODE: char = '\u{25c9}';

/// Draws the visible nodes. A link through hidden nodes is a dashed line.
pub fn rails(graph: &Graph, wiring: &Wiring, shown: Option<&[bool]>, folds: &Folds, is_ascii: bool) -> Drawn {
    let has_anchors = graph.nodes().any(|node| matches!(node, Node::Anchor(_)));
    let rows = has_anchors.then(|| containers::rows(graph, shown));
    let Blocks { all, mut after } = blocks(graph, wiring, rows.as_deref().or(shown), folds);
    // Containment repeats in many edges. Without containers, each edge is one that the user wrote.
    if has_anchors {
        drop_implied(&mut after);
    }
    let lines = lines(&after, is_ascii);
    let is_plain = lines.is_none();
    let mut drawn = Drawn { is_plain, ..Drawn::default() };
    let whats: Vec<What> = all.into_iter().map(|block| what(block, &mut drawn)).collect();
    drawn.rows = match lines {
        None => whats.into_iter().map(Row::bare).collect(),
        Some(lines) => lines.into_iter().map(|line| line.row(&whats)).collect(),
    };
    drawn.may_fold = may_fold(graph, wiring, &drawn.rows);
    drawn.indexed(graph.len()).with_ends(graph)
}

/// Drops the links that longer ways imply.
fn drop_implied(after: &mut [Vec<Link>]) {
    let all: Vec<Vec<u32>> = after.iter().map(|links| links.iter().map(|link| link.to).collect()).collect();
    for (links, reduced) in after.iter_mut().zip(without_implied(&all).unwrap_or(all)) {
        links.retain(|link| reduced.contains(&link.to));
    }
}

/// The links that no longer way implies; `None` if there are too many nodes. Every link points down.
pub fn without_implied(after: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    if after.len() > MOST_REDUCED {
        return None;
    }
    // The reduction needs nodes and links in topological order.
    let mut list = UnweightedList::<u32>::with_capacity(after.len());
    for _ in after {
        list.add_node();
    }
    for (from, links) in (0..).zip(after) {
        let mut to = links.clone();
        to.sort_unstable();
        for to in to {
            list.add_edge(from, to, ());
        }
    }
    let (reduced, _) = dag_transitive_reduction_closure(&list);
    let kept =
        |(from, links): (u32, &Vec<u32>)| links.iter().copied().filter(|to| reduced.contains_edge(from, *to)).collect();
    Some((0u32..).zip(after).map(kept).collect())
}

fn what(block: Block, drawn: &mut Drawn) -> What {
    let first = block.nodes.first().copied().unwrap_or_default();
    match block.fold() {
        None => What::Node(first),
        Some(fold) => {
            drawn.folds.push(fold);
            What::Fold(drawn.folds.len() as u32 - 1)
        }
    }
}

/// The drawing of a row.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// The position of its block; `None` on rows that only link.
    block: Option<u32>,
    before: String,
    after: String,
}

impl Line {
    fn row(self, whats: &[What]) -> Row {
        let what = self.block.map_or(What::Link, |block| whats[block as usize]);
        Row { what, before: self.before, after: self.after }
    }
}

/// Returns the lines of all blocks; `None` if there are too many to draw.
fn lines(after: &[Vec<Link>], is_ascii: bool) -> Option<Vec<Line>> {
    if after.len() > MOST_NODES || most_lanes(after) > MOST_LANES {
        return None;
    }
    let output = GraphRowRenderer::new().output().with_min_row_height(1);
    Some(if is_ascii { draw(after, output.build_ascii()) } else { draw(after, output.build_box_drawing()) })
}

fn draw(after: &[Vec<Link>], mut renderer: impl Renderer<u32, Output = String>) -> Vec<Line> {
    let mut lines = Vec::with_capacity(after.len() * 2);
    let mut open = Open::new(after.len());
    // The previous block ended some lines.
    let mut has_ended = false;
    for (block, ways) in after.iter().enumerate() {
        if has_ended && !open.awaits(block) && !open.is_any() {
            // Directly below, this block would look like a successor.
            lines.push(Line { block: None, before: String::new(), after: String::new() });
        }
        has_ended = open.take(block) && ways.is_empty();
        open.add(ways);
        let ways = ways.iter().map(|link| match link.is_far {
            true => Ancestor::Ancestor(link.to),
            false => Ancestor::Parent(link.to),
        });
        let drawn = renderer.next_row(block as u32, ways.collect(), NODE.to_string(), String::new());
        for line in drawn.lines() {
            match line.split_once(NODE) {
                Some((before, after)) => lines.push(Line {
                    block: Some(block as u32),
                    before: before.to_string(),
                    after: after.trim_end().to_string(),
                }),
                None if line.trim().is_empty() => {}
                None => lines.push(Line { block: None, before: line.trim_end().to_string(), after: String::new() }),
            }
        }
    }
    lines
}

/// The blocks that open lines lead to.
struct Open {
    waits: Vec<bool>,
    count: usize,
}

impl Open {
    fn new(len: usize) -> Self {
        Self { waits: vec![false; len], count: 0 }
    }

    fn awaits(&self, block: usize) -> bool {
        self.waits[block]
    }

    fn is_any(&self) -> bool {
        self.count > 0
    }

    /// Closes the lines to a block. Returns whether there were any.
    fn take(&mut self, block: usize) -> bool {
        let had = std::mem::take(&mut self.waits[block]);
        self.count -= usize::from(had);
        had
    }

    fn add(&mut self, ways: &[Link]) {
        for link in ways {
            if let Some(waits) = self.waits.get_mut(link.to as usize) {
                self.count += usize::from(!std::mem::replace(waits, true));
            }
        }
    }
}

/// Returns the largest number of open lines on a row. Lines to the same block count once.
fn most_lanes(after: &[Vec<Link>]) -> usize {
    let mut open = Open::new(after.len());
    let mut most = 0;
    for (block, ways) in after.iter().enumerate() {
        open.take(block);
        open.add(ways);
        most = most.max(open.count);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(after: &[&[u32]]) -> Option<Vec<String>> {
        let link = |to: &u32| Link { to: *to, is_far: false };
        let after: Vec<Vec<Link>> = after.iter().map(|ways| ways.iter().map(link).collect()).collect();
        let glyph = |line: &Line| if line.block.is_some() { "o" } else { "" };
        let show = |line: &Line| format!("{}{}{}", line.before, glyph(line), line.after);
        Some(lines(&after, false)?.iter().map(show).collect())
    }

    #[test]
    fn longer_ways_replace_direct_links() {
        let link = |to| Link { to, is_far: false };
        let mut after = vec![vec![link(1), link(2)], vec![link(2)], vec![]];
        drop_implied(&mut after);
        assert_eq!(after, [vec![link(1)], vec![link(2)], vec![]]);
    }

    #[test]
    fn a_diamond() {
        let diamond: &[&[u32]] = &[&[1, 2], &[3], &[3], &[]];
        assert_eq!(show(diamond).as_deref(), Some(&["o", "├─╮", "o │", "│ o", "├─╯", "o"].map(String::from)[..]));
    }

    #[test]
    fn unrelated_resources_are_drawn_apart() {
        let pairs: &[&[u32]] = &[&[1], &[], &[3], &[], &[], &[]];
        assert_eq!(show(pairs).as_deref(), Some(&["o", "o", "", "o", "o", "", "o", "o"].map(String::from)[..]));
    }

    #[test]
    fn too_many_edges_leave_a_list() {
        let all: Vec<u32> = (1..100).collect();
        let fan: Vec<&[u32]> = std::iter::once(&all[..]).chain((1..100).map(|_| &[][..])).collect();
        assert_eq!(show(&fan), None);
    }
}
