//! The one resource graph of all languages: the resources of a program and their order.
//!
//! A node is a resource or an anchor (the begin or end of a container), so that ordering against a container costs two
//! nodes instead of members times members edges. Nodes are in order of declaration. The same program gives the same
//! graph. Deliberately absent: how a resource is checked or applied (`resource/`), and trees of any language.

pub mod compact;
pub mod delta;
mod draft;
pub mod export;
mod hosts;
mod meta;
pub mod order;
mod secrets;
mod value;
pub mod view;
pub mod ways;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::source::Place;
pub use compact::Bytes;
pub use draft::{Draft, Drafted};
pub use hosts::Hosts;
pub use meta::{Meta, Period, Schedule};
pub use secrets::{HIDDEN, Secrets};
pub use value::{Params, Value, escaped};

/// Names a node. Opaque: compare it and show it, but do not parse it.
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
    /// Returns the id of the resource or of the anchor.
    pub fn id(&self) -> &ResourceId {
        match self {
            Node::Resource(resource) => &resource.id,
            Node::Anchor(anchor) => &anchor.id,
        }
    }

    /// Whether it has a turn in a run. Anchors and hidden resources only pass values and refreshes on.
    pub fn takes_turn(&self) -> bool {
        matches!(self, Node::Resource(resource) if !resource.is_hidden())
    }
}

/// The begin or end of a class, stage or implementation. It affects the order and has nothing to apply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    pub id: ResourceId,
    /// The container's type in its language: "class", "define", "stage", "implementation".
    #[serde(default = "no_text")]
    pub kind: Arc<str>,
    pub name: Arc<str>,
    pub begin: bool,
    /// The container's place among all nodes, which orders both of its ends among equals.
    #[serde(default)]
    pub rank: u32,
    pub source: Option<Place>,
}

fn no_text() -> Arc<str> {
    "".into()
}

/// A resource with its desired state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    pub id: ResourceId,
    /// In the language's own words; see [`Resource::shown`].
    declared: Declaration,
    /// In workbench's words.
    pub mapped: Mapping,
    /// Meta parameters that differ from the default.
    pub meta: Meta,
    /// Tags by which its language selects it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Arc<str>>,
    /// The containers of its declaration, outermost first, such as `class base`.
    pub container: Vec<Arc<str>>,
    pub source: Option<Place>,
    /// The node or agent of the resource, if it is not this host.
    pub target: Option<Arc<str>>,
    /// The program is for several hosts, and this resource is for another one: it is neither checked nor applied here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_elsewhere: bool,
    pub is_virtual: bool,
    pub exported: bool,
}

impl Resource {
    /// Makes a resource with exactly these parameters, outside of any container, with the same declaration and mapping.
    pub fn new(kind: &str, name: &str, params: Params) -> Self {
        let declared = Declaration { kind: kind.into(), name: name.into(), params };
        Self::declare(ResourceId(format!("{kind}[{name}]").into()), declared, Mapping::Same)
    }

    /// Makes a resource from its declaration and its mapping.
    pub fn declare(id: ResourceId, declared: Declaration, mapped: Mapping) -> Self {
        Self {
            id,
            declared,
            mapped,
            meta: Meta::default(),
            tags: Vec::new(),
            container: Vec::new(),
            source: None,
            target: None,
            is_elsewhere: false,
            is_virtual: false,
            exported: false,
        }
    }

    /// Whether it is neither checked nor changed here, and only passes values on.
    pub fn is_hidden(&self) -> bool {
        self.is_virtual || self.is_elsewhere || self.meta.hidden()
    }

    /// Returns the declaration, for display. The engine never uses it.
    pub fn shown(&self) -> &Declaration {
        &self.declared
    }

    /// Returns the mapping, or the declaration if workbench has no such kind.
    pub fn meant(&self) -> &Declaration {
        self.mapping().unwrap_or(&self.declared)
    }

    /// Returns the desired state for the engine; `None` if workbench has no such kind, or if it is for another host.
    pub fn wanted(&self) -> Option<&Declaration> {
        self.mapping().filter(|_| !self.is_elsewhere)
    }

    /// Returns the mapping of a resource for any host; `None` if workbench has no such kind.
    pub fn mapping(&self) -> Option<&Declaration> {
        match &self.mapped {
            Mapping::Same => Some(&self.declared),
            Mapping::To(mapped) => Some(mapped),
            Mapping::None => None,
        }
    }

    /// The same, mutable: received values and edits use workbench's words.
    pub fn wanted_mut(&mut self) -> Option<&mut Declaration> {
        match &mut self.mapped {
            Mapping::Same => Some(&mut self.declared),
            Mapping::To(mapped) => Some(mapped),
            Mapping::None => None,
        }
    }

    /// Sets a desired parameter. Does nothing if workbench has no such kind.
    pub fn set(&mut self, param: impl Into<Arc<str>>, value: Value) {
        if let Some(wanted) = self.wanted_mut() {
            wanted.params.set(param, value);
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

/// How a declared resource maps to a kind of workbench.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mapping {
    Same,
    To(Declaration),
    /// Shown as "no kind here". Blocks only its dependents.
    None,
}

/// The origin of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    Declared,
    Auto,
    Containment,
    Send,
}

impl Reason {
    /// Returns the name of the rule, for display.
    pub fn rule(self) -> &'static str {
        match self {
            Reason::Declared => "explicit dependency",
            Reason::Auto => "automatic dependency",
            Reason::Containment => "container",
            Reason::Send => "sent value",
        }
    }
}

/// `from` comes before `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub from: NodeIndex,
    pub to: NodeIndex,
    /// A change of `from` refreshes `to`.
    pub notify: bool,
    pub reason: Reason,
    /// The sent field and the receiving parameter, both in workbench's words.
    pub send: Option<(Arc<str>, Arc<str>)>,
    pub source: Option<Place>,
}

/// Nodes in order of declaration, and the edges between them.
///
/// Copies share their common parts: thousands of graphs that differ in one node each cost little more than one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Parts")]
pub struct Graph {
    nodes: Arc<Vec<Arc<Node>>>,
    edges: Arc<Vec<Edge>>,
    #[serde(skip_serializing_if = "has_none")]
    numbers: Arc<Numbers>,
    #[serde(skip)]
    index: Arc<FxHashMap<ResourceId, NodeIndex>>,
}

/// Numbers that a program took from pools, by pool and name. An apply stores them, so that every later run has the same
/// ones.
pub type Numbers = BTreeMap<String, BTreeMap<String, i64>>;

fn has_none(numbers: &Numbers) -> bool {
    numbers.is_empty()
}

/// The parts of a graph that cross a process border.
#[derive(Deserialize)]
struct Parts {
    nodes: Vec<Arc<Node>>,
    edges: Vec<Edge>,
    #[serde(default)]
    numbers: Numbers,
}

impl From<Parts> for Graph {
    fn from(Parts { nodes, edges, numbers }: Parts) -> Self {
        let index = nodes.iter().zip(0..).map(|(node, at)| (node.id().clone(), NodeIndex(at))).collect();
        Self { nodes: Arc::new(nodes), edges: Arc::new(edges), numbers: Arc::new(numbers), index: Arc::new(index) }
    }
}

impl Graph {
    /// Adds a node. `Err` returns the existing node with the same id.
    pub fn add(&mut self, node: Node) -> Result<NodeIndex, NodeIndex> {
        if let Some(there) = self.index.get(node.id()) {
            return Err(*there);
        }
        let at = NodeIndex(self.nodes.len() as u32);
        Arc::make_mut(&mut self.index).insert(node.id().clone(), at);
        Arc::make_mut(&mut self.nodes).push(Arc::new(node));
        Ok(at)
    }

    /// Adds an edge. It is not checked for cycles or duplicates.
    pub fn connect(&mut self, edge: Edge) {
        Arc::make_mut(&mut self.edges).push(edge);
    }

    /// Returns the index of the node with this id.
    pub fn find(&self, id: &ResourceId) -> Option<NodeIndex> {
        self.index.get(id).copied()
    }

    /// Returns the node at an index of this graph. Panics for any other index.
    pub fn node(&self, at: NodeIndex) -> &Node {
        &self.nodes[at.0 as usize]
    }

    /// Returns the node for changes, and copies it first if another graph shares it.
    pub fn node_mut(&mut self, at: NodeIndex) -> &mut Node {
        Arc::make_mut(&mut Arc::make_mut(&mut self.nodes)[at.0 as usize])
    }

    /// Returns the resource at an index; `None` for an anchor.
    pub fn resource(&self, at: NodeIndex) -> Option<&Resource> {
        match self.node(at) {
            Node::Resource(resource) => Some(resource),
            Node::Anchor(_) => None,
        }
    }

    /// Returns all nodes in order of declaration.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &Node> + ExactSizeIterator {
        self.nodes.iter().map(|node| &**node)
    }

    /// Returns all edges in the order in which they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the numbers that the program took and that are not stored yet.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Replaces the numbers that the program took.
    pub fn set_numbers(&mut self, numbers: Numbers) {
        self.numbers = Arc::new(numbers);
    }

    /// Returns the edges for changes, and copies them first if another graph shares them.
    pub fn edges_mut(&mut self) -> &mut Vec<Edge> {
        Arc::make_mut(&mut self.edges)
    }

    /// Whether one graph was made from the other by setting parameters: the same nodes at the same places, with the
    /// same edges. May return false for equal graphs of different origin.
    pub fn has_shape_of(&self, other: &Graph) -> bool {
        Arc::ptr_eq(&self.index, &other.index) && Arc::ptr_eq(&self.edges, &other.edges)
    }

    /// Returns the nodes that differ from an earlier graph; `None` if more may differ.
    pub fn changed_since(&self, before: &Graph) -> Option<Vec<(NodeIndex, Arc<Node>)>> {
        if !self.has_shape_of(before) || self.nodes.len() != before.nodes.len() || self.numbers != before.numbers {
            return None;
        }
        let pairs = self.nodes.iter().zip(before.nodes.iter()).zip(0..);
        let changed = pairs.filter(|((now, before), _)| !Arc::ptr_eq(now, before));
        Some(changed.map(|((now, _), at)| (NodeIndex(at), Arc::clone(now))).collect())
    }

    /// Replaces nodes by others with the same ids.
    pub fn replace(&mut self, changed: Vec<(NodeIndex, Arc<Node>)>) {
        let nodes = Arc::make_mut(&mut self.nodes);
        for (at, node) in changed {
            if let Some(before) = nodes.get_mut(at.0 as usize) {
                *before = node;
            }
        }
    }

    /// Whether every edge has two ends.
    pub fn is_whole(&self) -> bool {
        let is_there = |at: NodeIndex| (at.0 as usize) < self.nodes.len();
        self.edges.iter().all(|edge| is_there(edge.from) && is_there(edge.to))
    }

    /// Returns a node's sort key among equals: nodes without a turn first, anchors by their containers' rank, others by
    /// number.
    pub fn place(&self, at: NodeIndex) -> (bool, u32) {
        match self.node(at) {
            Node::Resource(resource) => (!resource.is_hidden(), at.0),
            Node::Anchor(anchor) => (true, anchor.rank),
        }
    }

    /// Whether the graph has ends of containers.
    pub fn has_anchors(&self) -> bool {
        self.nodes.iter().any(|node| matches!(**node, Node::Anchor(_)))
    }

    /// Returns the resources with their positions, in order of declaration.
    pub fn resources(&self) -> impl Iterator<Item = (NodeIndex, &Resource)> {
        self.nodes().enumerate().filter_map(|(at, node)| match node {
            Node::Resource(resource) => Some((NodeIndex(at as u32), resource)),
            Node::Anchor(_) => None,
        })
    }

    /// Returns a node for sharing with another graph.
    pub fn shared_node(&self, at: usize) -> Option<&Arc<Node>> {
        self.nodes.get(at)
    }

    /// Makes a graph of other nodes without edges. `place_of` maps this graph's nodes to the new ones, and `made` tells
    /// which of the new ones are not in this graph. `None` if two nodes would have the same id.
    pub fn with_nodes(
        &self,
        nodes: Vec<Arc<Node>>,
        place_of: &[Option<NodeIndex>],
        made: &[NodeIndex],
    ) -> Option<Graph> {
        let mut index = FxHashMap::clone(&self.index);
        for (node, _) in self.nodes.iter().zip(place_of).filter(|(_, place)| place.is_none()) {
            index.remove(node.id());
        }
        for at in index.values_mut() {
            *at = place_of[at.0 as usize]?;
        }
        for at in made {
            if index.insert(nodes[at.0 as usize].id().clone(), *at).is_some() {
                return None;
            }
        }
        let numbers = Arc::clone(&self.numbers);
        Some(Graph { nodes: Arc::new(nodes), edges: Arc::default(), numbers, index: Arc::new(index) })
    }

    /// Returns the number of nodes, including anchors.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
