//! The graph in the language of Graphviz.

use std::io::{self, Write};

use crate::graph::{Graph, Node};
use crate::source::printable;

/// Writes a `digraph`. Edges that notify are dashed, and edges that send have the names of field and parameter.
pub fn write_dot(out: &mut dyn Write, graph: &Graph, title: &str) -> io::Result<()> {
    writeln!(out, "digraph {} {{\n  rankdir=LR;\n  node [shape=box];", quoted(title))?;
    for (at, node) in graph.nodes().enumerate() {
        let shape = if matches!(node, Node::Anchor(_)) { ", shape=point" } else { "" };
        writeln!(out, "  n{at} [label={}{shape}];", quoted(&node.id().0))?;
    }
    for edge in graph.edges() {
        let mut attributes = Vec::new();
        if edge.notify {
            attributes.push("style=dashed".to_string());
        }
        if let Some((sent, received)) = &edge.send {
            attributes.push(format!("label={}", quoted(&format!("{sent} > {received}"))));
        }
        let attributes = if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        writeln!(out, "  n{} -> n{}{attributes};", edge.from.0, edge.to.0)?;
    }
    writeln!(out, "}}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).as_str().replace('\\', "\\\\").replace('"', "\\\""))
}
