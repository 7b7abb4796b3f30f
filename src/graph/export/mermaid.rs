//! The graph as a mermaid flowchart.

use std::io::{self, Write};

use crate::graph::{Graph, Node};
use crate::source::printable;

/// Writes a flowchart. Edges that notify are dotted.
pub fn write_mermaid(out: &mut dyn Write, graph: &Graph) -> io::Result<()> {
    writeln!(out, "flowchart LR")?;
    for (at, node) in graph.nodes().enumerate() {
        let label = quoted(&node.id().0);
        match node {
            Node::Resource(_) => writeln!(out, "  n{at}[{label}]")?,
            Node::Anchor(_) => writeln!(out, "  n{at}(({label}))")?,
        }
    }
    for edge in graph.edges() {
        let arrow = if edge.notify { "-.->" } else { "-->" };
        let label = edge
            .send
            .as_ref()
            .map_or(String::new(), |(sent, received)| format!("|{}|", quoted(&format!("{sent} to {received}"))));
        writeln!(out, "  n{} {arrow}{label} n{}", edge.from.0, edge.to.0)?;
    }
    Ok(())
}

/// Mermaid knows entities, but no backslashes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).as_str().replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;"))
}
