//! The drawing of the graph: requested by the loop, made by a worker.

use std::sync::Arc;

use crate::graph::view::{Drawn, Folds, rails, tree};
use crate::graph::{Node, NodeIndex};
use crate::tui::{program::Program, widget::text};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// One row each in apply order, with lines beside them.
    #[default]
    Rails,
    /// The requirements of each node below it.
    Tree,
}

#[derive(Clone, Debug)]
pub struct Ask {
    pub view: View,
    pub shown: Option<Arc<Vec<bool>>>,
    pub folds: Folds,
    pub is_ascii: bool,
}

pub fn draw(program: &Program, ask: &Ask) -> Drawn {
    let (graph, wiring) = (&program.graph, &program.wiring);
    let shown = ask.shown.as_ref().map(|shown| &shown[..]);
    match ask.view {
        View::Rails => rails(graph, wiring, shown, &ask.folds, ask.is_ascii),
        View::Tree => tree(graph, wiring, shown, &ask.folds, ask.is_ascii),
    }
}

/// A node's name, if it has no other mark of its kind.
pub fn name(program: &Program, node: NodeIndex) -> String {
    match program.graph.node(node) {
        Node::Resource(resource) => resource.id.to_string(),
        Node::Anchor(anchor) => {
            let end = if anchor.begin { "" } else { "end of " };
            let kind = if &*anchor.kind == "define" { String::new() } else { format!("{} ", text::safe(&anchor.kind)) };
            format!("{end}{kind}{}", text::safe(&anchor.name))
        }
    }
}
