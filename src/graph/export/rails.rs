//! The graph as rails for the terminal: one resource per row in apply order, with lines down to its successors.

use std::io::{self, Write};

use renderdag::{Ancestor, GraphRowRenderer, Renderer};

use crate::graph::order::order;
use crate::graph::view::without_implied;
use crate::graph::{Graph, Node, NodeIndex};

/// The limit on concurrent lines, summed over all rows: each row costs as much as the lines that pass it.
const AREA: usize = 4_000_000;

/// Writes the rows, optionally with ASCII only. Nodes on a cycle come last.
pub fn write_rails(out: &mut dyn Write, graph: &Graph, ascii: bool) -> io::Result<()> {
    let rows = rows(graph);
    if area(&rows) > AREA {
        return Err(io::Error::other("too many edges would run side by side; use another format"));
    }
    let renderer = GraphRowRenderer::new().output().with_min_row_height(1);
    let mut renderer: Box<dyn Renderer<u32, Output = String>> = match ascii {
        true => Box::new(renderer.build_ascii()),
        false => Box::new(renderer.build_box_drawing()),
    };
    for Row { node, after } in rows {
        let glyph = if matches!(graph.node(node), Node::Anchor(_)) { "*" } else { "o" };
        let after = after.into_iter().map(|next| Ancestor::Parent(next.0)).collect();
        let row = renderer.next_row(node.0, after, glyph.to_owned(), graph.node(node).id().to_string());
        out.write_all(row.as_bytes())?;
    }
    Ok(())
}

struct Row {
    node: NodeIndex,
    /// Its successors without duplicates, limited to those on later rows, in the order of the rows.
    after: Vec<NodeIndex>,
}

fn rows(graph: &Graph) -> Vec<Row> {
    let mut nodes = order(graph).order;
    let mut row_of = vec![u32::MAX; graph.len()];
    (0..).zip(&nodes).for_each(|(row, node)| row_of[node.0 as usize] = row);
    for node in (0..graph.len() as u32).map(NodeIndex) {
        if row_of[node.0 as usize] == u32::MAX {
            row_of[node.0 as usize] = nodes.len() as u32;
            nodes.push(node);
        }
    }
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for edge in graph.edges() {
        let (from, to) = (row_of[edge.from.0 as usize], row_of[edge.to.0 as usize]);
        if from < to {
            after[from as usize].push(to);
        }
    }
    for links in &mut after {
        links.sort_unstable();
        links.dedup();
    }
    // Containment repeats in many edges. Without containers, each edge is one that the user wrote.
    if graph.nodes().any(|node| matches!(node, Node::Anchor(_))) {
        after = without_implied(&after).unwrap_or(after);
    }
    let row = |(node, links): (&NodeIndex, Vec<u32>)| {
        let after = links.into_iter().map(|to| nodes[to as usize]).collect();
        Row { node: *node, after }
    };
    nodes.iter().zip(after).map(row).collect()
}

/// Returns the number of open lines, summed over all rows.
fn area(rows: &[Row]) -> usize {
    let mut awaited: rustc_hash::FxHashSet<NodeIndex> = rustc_hash::FxHashSet::default();
    let mut area = 0_usize;
    for row in rows {
        awaited.remove(&row.node);
        awaited.extend(&row.after);
        area = area.saturating_add(awaited.len());
    }
    area
}
