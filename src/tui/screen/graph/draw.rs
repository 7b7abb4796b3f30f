//! What is drawn of the graph: asked for by the loop, made by a worker.

use std::sync::Arc;

use crate::graph::view::{Drawn, Folds, Layers, Neighbourhood, Sizes, layers, rails, tree};
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
    /// The columns and rows that layers should do with.
    pub room: (usize, usize),
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
    /// The rows, where it has any.
    pub fn drawn(&self) -> Option<&Drawn> {
        match self {
            Picture::Rows(drawn) => Some(drawn),
            Picture::Layers(_) => None,
        }
    }

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
            Picture::Layers(layers) => {
                layers.boxes.get(stop).map_or(0, |boxed| usize::from(boxed.y + boxed.height / 2))
            }
        }
    }

    pub fn rows(&self) -> usize {
        match self {
            Picture::Rows(drawn) => drawn.rows.len(),
            Picture::Layers(layers) => layers.canvas.len(),
        }
    }
}

/// A framed box has three rows, one without a frame has one.
const FRAMED: u16 = 3;
/// What stands in a box beside the words: its sides, a sign, a mark, a letter, and the room between.
pub const AROUND_WORDS: usize = 7;
/// What stands in the upper side of a frame beside the kind.
const AROUND_KIND: usize = 6;
/// Words are not cut to fewer columns than this: where there is no room for as many, the picture is wider than the pane.
const LEAST_WORDS: usize = 14;

/// Draws what was asked for.
pub fn draw(program: &Program, ask: &Ask) -> Picture {
    let (graph, wiring) = (&program.graph, &program.wiring);
    let shown = ask.shown.as_ref().map(|shown| &shown[..]);
    match ask.view {
        View::Rails => Picture::Rows(rails(graph, wiring, shown, &ask.folds, ask.is_ascii)),
        View::Tree => Picture::Rows(tree(graph, wiring, shown, &ask.folds, ask.is_ascii)),
        View::Layers => {
            let (room, rows) = ask.room;
            let draw = |height: u16| {
                let width_of = |node: u32| width(program, NodeIndex(node), height);
                let least = (LEAST_WORDS + AROUND_WORDS) as u16;
                let sizes = Sizes { width_of: &width_of, least, height, room: room as u16 };
                layers(wiring, shown, &ask.around, &sizes, ask.is_ascii)
            };
            // Frames are easier to read, and all at once is easier still.
            let framed = draw(FRAMED);
            Picture::Layers(if framed.canvas.len() <= rows { framed } else { draw(1) })
        }
    }
}

/// As wide as a node's box is when nothing of its words is cut.
fn width(program: &Program, node: NodeIndex, height: u16) -> u16 {
    let (kind, title) = kind_and_title(program, node);
    let widest = if height == 1 {
        text::width(&one_line(&kind, &title)) + AROUND_WORDS
    } else {
        (text::width(&title) + AROUND_WORDS).max(text::width(&kind) + AROUND_KIND)
    };
    u16::try_from(widest).unwrap_or(u16::MAX).min(MOST_WIDTH)
}

/// Wider boxes would be read no better.
const MOST_WIDTH: u16 = 80;

/// The words of a box without a frame: brackets within its own would read as one.
pub fn one_line(kind: &str, title: &str) -> String {
    format!("{kind} {title}").trim().to_string()
}

/// What a node is, and which.
pub fn kind_and_title(program: &Program, node: NodeIndex) -> (String, String) {
    match program.graph.node(node) {
        Node::Resource(resource) => {
            let name = resource.id.to_string();
            match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
                Some((kind, title)) => (kind.into(), title.into()),
                None => (String::new(), name),
            }
        }
        Node::Anchor(anchor) => (if anchor.begin { "begin" } else { "end" }.into(), text::safe(&anchor.name)),
    }
}

/// A node's name where it has no other mark of what it is.
pub fn name(program: &Program, node: NodeIndex) -> String {
    match program.graph.node(node) {
        Node::Resource(resource) => resource.id.to_string(),
        Node::Anchor(anchor) => format!("{} {}", if anchor.begin { "begin" } else { "end" }, text::safe(&anchor.name)),
    }
}
