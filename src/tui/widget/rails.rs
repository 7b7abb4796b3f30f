//! A graph as rails beside its rows, in apply order: what `jj log` does for commits, turned upside down.
//!
//! Comes in: how many nodes there are, and who comes after whom. Goes out: rows of drawing, of which screens show a window.

use renderdag::{Ancestor, GraphRowRenderer, Renderer};

/// More lanes than this leave no room for names.
const MOST_LANES: usize = 24;
/// Drawing grows faster than the graph; beyond this the list alone is shown.
const MOST_NODES: usize = 20_000;
/// Stands for the node in what the renderer draws, to be found again.
const NODE: char = '\u{25c9}';

/// One row: drawing left and right of the node's glyph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The position of its node in the order; `None` on rows that only link.
    pub node: Option<u32>,
    pub before: String,
    pub after: String,
}

/// All rows, and the row of each node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rails {
    pub rows: Vec<Row>,
    pub row_of: Vec<u32>,
    /// There were too many edges or nodes to draw.
    pub plain: bool,
}

/// Draws `followers[n]`, the later positions that depend on position `n`.
pub fn rails(followers: &[Vec<u32>], ascii: bool) -> Rails {
    if followers.len() > MOST_NODES || most_lanes(followers) > MOST_LANES {
        let rows = (0..followers.len() as u32).map(|node| Row { node: Some(node), ..Row::default() }).collect();
        return Rails { rows, row_of: (0..followers.len() as u32).collect(), plain: true };
    }
    let output = GraphRowRenderer::new().output().with_min_row_height(1);
    if ascii { draw(followers, output.build_ascii()) } else { draw(followers, output.build_box_drawing()) }
}

fn draw(followers: &[Vec<u32>], mut renderer: impl Renderer<u32, Output = String>) -> Rails {
    let mut rails = Rails::default();
    for (node, after) in followers.iter().enumerate() {
        let after = after.iter().map(|follower| Ancestor::Parent(*follower)).collect();
        let drawn = renderer.next_row(node as u32, after, NODE.to_string(), String::new());
        for line in drawn.lines() {
            match line.split_once(NODE) {
                Some((before, after)) => {
                    rails.row_of.push(rails.rows.len() as u32);
                    rails.rows.push(Row {
                        node: Some(node as u32),
                        before: before.to_string(),
                        after: after.trim_end().to_string(),
                    });
                }
                None if line.trim().is_empty() => {}
                None => rails.rows.push(Row { node: None, before: line.trim_end().to_string(), after: String::new() }),
            }
        }
    }
    rails
}

/// The most edges that are open at one time, those to the same node counted once.
fn most_lanes(followers: &[Vec<u32>]) -> usize {
    let mut waiting = vec![false; followers.len()];
    let (mut open, mut most) = (0usize, 0);
    for (node, after) in followers.iter().enumerate() {
        open -= usize::from(std::mem::take(&mut waiting[node]));
        for follower in after {
            if let Some(waits) = waiting.get_mut(*follower as usize) {
                open += usize::from(!std::mem::replace(waits, true));
            }
        }
        most = most.max(open);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(rails: &Rails) -> Vec<String> {
        let glyph = |row: &Row| if row.node.is_some() { "o" } else { "" };
        rails.rows.iter().map(|row| format!("{}{}{}", row.before, glyph(row), row.after)).collect()
    }

    #[test]
    fn a_diamond() {
        let rails = rails(&[vec![1, 2], vec![3], vec![3], vec![]], false);
        assert_eq!(show(&rails), ["o", "├─╮", "o │", "│ o", "├─╯", "o"]);
        assert_eq!(rails.row_of, [0, 2, 3, 5]);
    }

    #[test]
    fn too_many_edges_leave_a_list() {
        let fan: Vec<Vec<u32>> = std::iter::once((1..100).collect()).chain((1..100).map(|_| vec![])).collect();
        let rails = rails(&fan, false);
        assert!(rails.plain);
        assert_eq!(rails.rows.len(), 100);
    }
}
