//! What is drawn of the graph: asked for by the loop, made by a worker.

use std::sync::Arc;

use crate::graph::view::{Drawn, Folds, Layers, Neighbourhood, layers, rails, tree};
use crate::graph::{Node, NodeIndex};
use crate::tui::program::Program;
use crate::tui::widget::text;

/// A way to look at the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// A row each in apply order, with lines beside.
    #[default]
    Rails,
    /// Below each node what it needs.
    Tree,
    /// Boxes around a node.
    Layers,
}

/// What is to be drawn.
#[derive(Clone, Debug)]
pub struct Ask {
    pub view: View,
    pub shown: Option<Arc<Vec<bool>>>,
    pub folds: Folds,
    pub around: Neighbourhood,
    /// The columns that layers should do with.
    pub room: usize,
    pub is_ascii: bool,
}

/// What was drawn.
#[derive(Clone, Debug)]
pub enum Picture {
    Rows(Drawn),
    Layers(Layers),
}

impl Default for Picture {
    fn default() -> Self {
        Picture::Rows(Drawn::default())
    }
}

impl Picture {
    /// How many places a cursor can stand on.
    pub fn len(&self) -> usize {
        match self {
            Picture::Rows(drawn) => drawn.stops.len(),
            Picture::Layers(layers) => layers.boxes.len(),
        }
    }

    pub fn node_at(&self, stop: usize) -> Option<NodeIndex> {
        match self {
            Picture::Rows(drawn) => drawn.node_at(stop),
            Picture::Layers(layers) => layers.boxes.get(stop).map(|boxed| boxed.node),
        }
        .map(NodeIndex)
    }

    pub fn stop_of(&self, node: NodeIndex) -> Option<usize> {
        match self {
            Picture::Rows(drawn) => drawn.stop_of(node.0),
            Picture::Layers(layers) => layers.boxes.iter().position(|boxed| boxed.node == node.0),
        }
    }

    /// The drawn row of a stop.
    pub fn row_of(&self, stop: usize) -> usize {
        match self {
            Picture::Rows(drawn) => drawn.stops.get(stop).map_or(0, |row| *row as usize),
            Picture::Layers(layers) => layers.boxes.get(stop).map_or(0, |boxed| usize::from(boxed.y)),
        }
    }

    pub fn rows(&self) -> usize {
        match self {
            Picture::Rows(drawn) => drawn.rows.len(),
            Picture::Layers(layers) => layers.canvas.len(),
        }
    }
}

/// How wide names in boxes may be: the first of these with which all of them fit beside one another.
const WIDEST: [usize; 5] = [32, 24, 18, 14, 11];
/// What stands in a box beside the name: brackets, a sign, a letter, a mark, and the room between.
pub const AROUND_NAME: usize = 7;

/// Draws what was asked for.
pub fn draw(program: &Program, ask: &Ask) -> Picture {
    let (graph, wiring) = (&program.graph, &program.wiring);
    let shown = ask.shown.as_ref().map(|shown| &shown[..]);
    match ask.view {
        View::Rails => Picture::Rows(rails(graph, wiring, shown, &ask.folds, ask.is_ascii)),
        View::Tree => Picture::Rows(tree(graph, wiring, shown, &ask.folds, ask.is_ascii)),
        View::Layers => {
            let draw = |widest: usize| {
                let name = |node: u32| text::width(&name(program, NodeIndex(node)));
                let width = |node: u32| (name(node).min(widest) + AROUND_NAME) as u16;
                layers(wiring, shown, &ask.around, &width, ask.is_ascii)
            };
            let fits = |layers: &Layers| layers.canvas.first().is_none_or(|row| row.len() <= ask.room);
            let narrower = WIDEST.into_iter().position(|widest| fits(&draw(widest))).unwrap_or(WIDEST.len() - 1);
            Picture::Layers(draw(WIDEST[narrower]))
        }
    }
}

/// A node's name where it has no other mark of what it is.
pub fn name(program: &Program, node: NodeIndex) -> String {
    match program.graph.node(node) {
        Node::Resource(resource) => resource.id.to_string(),
        Node::Anchor(anchor) => format!("{} {}", if anchor.begin { "begin" } else { "end" }, text::safe(&anchor.name)),
    }
}
