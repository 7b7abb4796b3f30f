//! The one resource graph of all languages: what a program asks for and in which order.
//!
//! A node is a resource or an anchor (the begin or end of a container), so that ordering against a container costs two
//! nodes and not members times members edges. Nodes stand in order of declaration; the same program gives the same graph.
//! Deliberately absent: how a resource is checked or applied (`resource/`), and trees of any language.

pub mod delta;
pub mod export;
pub mod order;
pub mod part;
mod secrets;
mod value;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::source::Place;
pub use secrets::Secrets;
pub use value::{Params, Value};

/// Names a node. Opaque: compare it, show it, never take it apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceId(pub Arc<str>);

impl std::fmt::Display for ResourceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(crate::source::printable(&self.0).as_str())
    }
}

/// The position of a node in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeIndex(pub u32);

/// A resource, or one end of a container.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    Resource(Resource),
    Anchor(Anchor),
}

impl Node {
    pub fn id(&self) -> &ResourceId {
        match self {
            Node::Resource(resource) => &resource.id,
            Node::Anchor(anchor) => &anchor.id,
        }
    }
}

/// The begin or end of a class, stage or implementation: takes part in ordering, has nothing to apply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    pub id: ResourceId,
    pub name: Arc<str>,
    pub begin: bool,
    pub source: Option<Place>,
}

/// One thing a program wants to be so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    pub id: ResourceId,
    /// In the language's own words.
    pub declared: Declaration,
    /// In ours.
    pub mapped: Mapping,
    /// Meta parameters that differ from the default.
    pub meta: Params,
    /// The containers it was declared in, outermost first, such as `class base`.
    pub container: Vec<Arc<str>>,
    pub source: Option<Place>,
    /// The node or agent it is for, where that is not this host.
    pub target: Option<Arc<str>>,
    pub is_virtual: bool,
    pub exported: bool,
}

impl Resource {
    /// Neither looked at nor changed here: it only passes on what comes to it.
    pub fn is_hidden(&self) -> bool {
        self.is_virtual || self.meta.get("hidden").and_then(Value::as_bool) == Some(true)
    }

    /// What the engine works on; `None` where no kind of ours fits.
    pub fn wanted(&self) -> Option<&Declaration> {
        match &self.mapped {
            Mapping::Same => Some(&self.declared),
            Mapping::To(mapped) => Some(mapped),
            Mapping::None => None,
        }
    }
}

/// Kind, name and parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    pub kind: Arc<str>,
    pub name: Arc<str>,
    pub params: Params,
}

/// How a declared resource maps to a kind of ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mapping {
    Same,
    To(Declaration),
    /// Shown as "no kind here"; blocks only its dependents.
    None,
}

/// Why an edge is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    Declared,
    Auto,
    Containment,
    Send,
}

/// `from` comes before `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub from: NodeIndex,
    pub to: NodeIndex,
    /// A change of `from` refreshes `to`.
    pub notify: bool,
    pub reason: Reason,
    /// The field sent and the parameter that receives it.
    pub send: Option<(Arc<str>, Arc<str>)>,
    pub source: Option<Place>,
}

/// Nodes in order of declaration, and the edges between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    index: FxHashMap<ResourceId, NodeIndex>,
}

impl Graph {
    /// Adds a node. `Err` gives the node that holds the id already.
    pub fn add(&mut self, node: Node) -> Result<NodeIndex, NodeIndex> {
        if let Some(there) = self.index.get(node.id()) {
            return Err(*there);
        }
        let at = NodeIndex(self.nodes.len() as u32);
        self.index.insert(node.id().clone(), at);
        self.nodes.push(node);
        Ok(at)
    }

    pub fn connect(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    pub fn find(&self, id: &ResourceId) -> Option<NodeIndex> {
        self.index.get(id).copied()
    }

    pub fn node(&self, at: NodeIndex) -> &Node {
        &self.nodes[at.0 as usize]
    }

    pub fn node_mut(&mut self, at: NodeIndex) -> &mut Node {
        &mut self.nodes[at.0 as usize]
    }

    pub fn resource(&self, at: NodeIndex) -> Option<&Resource> {
        match self.node(at) {
            Node::Resource(resource) => Some(resource),
            Node::Anchor(_) => None,
        }
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub fn edges_mut(&mut self) -> &mut Vec<Edge> {
        &mut self.edges
    }

    /// The resources with their positions, in order of declaration.
    pub fn resources(&self) -> impl Iterator<Item = (NodeIndex, &Resource)> {
        self.nodes.iter().enumerate().filter_map(|(at, node)| match node {
            Node::Resource(resource) => Some((NodeIndex(at as u32), resource)),
            Node::Anchor(_) => None,
        })
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
