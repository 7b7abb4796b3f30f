//! The state of every node in a run, and the log that undoes turns exactly.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::graph::order::order;
use crate::graph::{Graph, Node, NodeIndex, Params, Resource, ResourceId, Value};
use crate::plan::{Certainty, Step};

use super::links::Links;
use super::message::TurnState;
use super::turn::Outcome;

/// The state of one node.
#[derive(Clone)]
pub(super) struct NodeState {
    pub state: TurnState,
    /// The number of incoming edges that still wait.
    waits: u32,
    /// Whether its dependents were released.
    released: bool,
    /// A resource that it subscribes to has changed.
    pub refresh: bool,
    /// A member of the anchor's container has changed.
    changed: bool,
    pub received: Vec<(Arc<str>, Value)>,
    /// The received value is a prediction.
    pub guessed: bool,
    /// The nearest earlier step with unknown effects.
    pub shadow: Option<NodeIndex>,
    /// Whether its own turn changed the machine, or would.
    pub applied: bool,
    /// The last turn.
    pub step: Option<Arc<Step>>,
}

/// All nodes, the ready ones, and what each turn replaced.
pub(super) struct States {
    graph: Arc<Graph>,
    links: Arc<Links>,
    nodes: Vec<NodeState>,
    /// By their positions in the order.
    ready: BTreeSet<(u32, NodeIndex)>,
    /// The position of each node in the order of the whole graph, if containers make it different from the node
    /// numbers.
    places: Option<Arc<Vec<u32>>>,
    /// What the current turn replaced.
    saved: Vec<(NodeIndex, NodeState)>,
}

/// The information that a finished node passes to its successors.
struct News<'a> {
    changed: bool,
    refresh: bool,
    shadow: Option<NodeIndex>,
    sends: Option<&'a Params>,
    /// The sent values are predictions.
    guess: bool,
}

impl States {
    /// Makes the states at the begin of a run: nothing has run, and nodes without requirements are ready.
    pub fn new(graph: Arc<Graph>) -> Self {
        let links = Arc::new(Links::new(&graph));
        let fresh = |at: u32| NodeState {
            state: TurnState::Waiting,
            waits: links.entering_count(NodeIndex(at)),
            released: false,
            refresh: false,
            changed: false,
            received: Vec::new(),
            guessed: false,
            shadow: None,
            applied: false,
            step: None,
        };
        let nodes: Vec<NodeState> = (0..graph.len() as u32).map(fresh).collect();
        let places = graph.has_anchors().then(|| Arc::new(places(&graph)));
        let mut states = Self { graph, links, nodes, ready: BTreeSet::new(), places, saved: Vec::new() };
        let free: Vec<NodeIndex> =
            (0..states.nodes.len() as u32).map(NodeIndex).filter(|at| states.get(*at).waits == 0).collect();
        states.arrive(free);
        states.saved.clear();
        states
    }

    /// Marks resources with a pending refresh.
    pub fn mark_pending(&mut self, pending: &BTreeSet<ResourceId>) {
        for at in pending.iter().filter_map(|id| self.graph.find(id)) {
            self.nodes[at.0 as usize].refresh = true;
        }
    }

    /// Returns the graph of the run.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the graph of the run as a shared pointer.
    pub fn shared_graph(&self) -> Arc<Graph> {
        Arc::clone(&self.graph)
    }

    /// Returns the edges of each node.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Returns the state of a node.
    pub fn get(&self, at: NodeIndex) -> &NodeState {
        &self.nodes[at.0 as usize]
    }

    /// Returns the nodes that may be next, in order.
    pub fn ready(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.ready.iter().map(|(_, at)| *at)
    }

    /// Whether a node may be the next.
    pub fn is_ready(&self, at: NodeIndex) -> bool {
        self.ready.contains(&self.key(at))
    }

    fn key(&self, at: NodeIndex) -> (u32, NodeIndex) {
        (self.place(at), at)
    }

    /// Returns the position of a node in the order.
    pub fn place(&self, at: NodeIndex) -> u32 {
        self.places.as_ref().map_or(at.0, |places| places[at.0 as usize])
    }

    /// Returns how many incoming edges of a node still wait.
    pub fn waits(&self, at: NodeIndex) -> u32 {
        self.get(at).waits
    }

    /// Returns the resource of a node that takes a turn.
    pub fn resource(&self, at: NodeIndex) -> Option<&Resource> {
        self.graph.resource(at).filter(|_| self.graph.node(at).takes_turn())
    }

    /// Returns the resources that take turns, in order of declaration.
    pub fn resources(&self) -> impl Iterator<Item = (NodeIndex, &Resource)> {
        self.graph.resources().filter(|(_, resource)| !resource.is_hidden())
    }

    /// Changes a node, and logs its old state.
    fn change(&mut self, at: NodeIndex) -> &mut NodeState {
        let node = &mut self.nodes[at.0 as usize];
        self.saved.push((at, node.clone()));
        node
    }

    /// Removes and returns the step of a node.
    pub fn take_step(&mut self, at: NodeIndex) -> Option<Arc<Step>> {
        self.nodes[at.0 as usize].step.take()
    }

    /// Returns what was replaced since the last call, for [`States::restore`].
    pub fn take_saved(&mut self) -> Vec<(NodeIndex, NodeState)> {
        std::mem::take(&mut self.saved)
    }

    /// Drops that log, and returns an empty one.
    pub fn forget_saved(&mut self) -> Vec<(NodeIndex, NodeState)> {
        self.saved.clear();
        Vec::new()
    }

    /// Restores the states that a turn replaced. `saved` comes from [`States::take_saved`].
    pub fn restore(&mut self, saved: Vec<(NodeIndex, NodeState)>) {
        for (at, before) in saved.into_iter().rev() {
            self.nodes[at.0 as usize] = before;
            let is_ready = {
                let node = self.get(at);
                node.waits == 0 && node.state == TurnState::Waiting && self.resource(at).is_some()
            };
            if is_ready {
                self.ready.insert(self.key(at));
            } else {
                self.ready.remove(&self.key(at));
            }
        }
    }

    /// Whether the turn of a node has not ended.
    pub fn is_open(&self, at: NodeIndex) -> bool {
        matches!(self.get(at).state, TurnState::Waiting | TurnState::Running)
    }

    /// Removes a node from the ready ones, because it is running or waits for something outside the graph.
    pub fn set_aside(&mut self, at: NodeIndex) {
        self.ready.remove(&self.key(at));
    }

    /// Adds a node to the ready ones again.
    pub fn put_back(&mut self, at: NodeIndex) {
        self.ready.insert(self.key(at));
    }

    /// Records a turn that ended with the desired state, or would.
    pub fn done(&mut self, at: NodeIndex, outcome: &Outcome, step: Arc<Step>) {
        self.end(at, TurnState::Done, step);
        self.change(at).applied = outcome.changed;
        self.release(at, outcome);
    }

    /// Records a skipped resource. Its dependents continue only if it is unchanged.
    pub fn skipped(&mut self, at: NodeIndex, is_right: bool, outcome: &Outcome, step: Arc<Step>) -> Vec<NodeIndex> {
        self.end(at, TurnState::Skipped, step);
        if is_right {
            self.release(at, outcome);
            Vec::new()
        } else {
            self.block(at)
        }
    }

    /// `is_undone`: the change did not last.
    pub fn failed(&mut self, at: NodeIndex, error: String, is_undone: bool, step: Arc<Step>) -> Vec<NodeIndex> {
        self.end(at, TurnState::Failed { error, is_undone }, step);
        self.block(at)
    }

    fn end(&mut self, at: NodeIndex, state: TurnState, step: Arc<Step>) {
        let node = self.change(at);
        node.state = state;
        node.step = Some(step);
        self.ready.remove(&self.key(at));
    }

    /// Releases the dependents of a resource, and passes on its change and its sent values.
    fn release(&mut self, at: NodeIndex, outcome: &Outcome) {
        let node = self.change(at);
        if std::mem::replace(&mut node.released, true) {
            return;
        }
        let news = News {
            changed: outcome.changed,
            refresh: false,
            shadow: if outcome.reached_out { Some(at) } else { node.shadow },
            sends: Some(&outcome.sends),
            guess: outcome.certainty != Certainty::Known,
        };
        let free = self.inform(at, &news);
        self.arrive(free);
    }

    /// Sends the values of a finished resource again. Receivers with a new value take their turns again.
    pub fn resend(&mut self, from: NodeIndex, sends: &Params) {
        let (graph, links) = (Arc::clone(&self.graph), Arc::clone(&self.links));
        for edge in links.leaving(&graph, from) {
            let Some((field, param)) = &edge.send else { continue };
            let Some(value) = sends.get(field) else { continue };
            let node = self.get(edge.to);
            if node.state != TurnState::Done || node.received.iter().any(|(name, had)| name == param && had == value) {
                continue;
            }
            let node = self.change(edge.to);
            node.received.retain(|(name, _)| name != param);
            node.received.push((Arc::clone(param), value.clone()));
            node.state = TurnState::Waiting;
            self.ready.insert(self.key(edge.to));
        }
    }

    /// Handles nodes that wait for nothing any more: resources become ready, other nodes release their dependents.
    fn arrive(&mut self, mut free: Vec<NodeIndex>) {
        while let Some(at) = free.pop() {
            if self.resource(at).is_some() {
                self.ready.insert(self.key(at));
                continue;
            }
            let node = self.change(at);
            node.state = TurnState::Done;
            node.released = true;
            let (changed, refresh, shadow) = (node.changed, node.refresh, node.shadow);
            let (changed, refresh) = match self.graph.node(at) {
                // An anchor passes a refresh on, but only one that it received by a notifying edge.
                Node::Anchor(_) => (refresh, false),
                // What another host changes is not known here.
                Node::Resource(resource) if resource.is_elsewhere => (false, false),
                // A pending refresh of a hidden resource reaches everything behind it, whatever the edge says.
                Node::Resource(_) => (changed, refresh),
            };
            let news = News { changed, refresh, shadow, sends: None, guess: false };
            free.extend(self.inform(at, &news));
        }
    }

    /// Informs the successors of a finished node. Returns those that wait for nothing more.
    fn inform(&mut self, from: NodeIndex, news: &News) -> Vec<NodeIndex> {
        let graph = Arc::clone(&self.graph);
        let links = Arc::clone(&self.links);
        let mut free = Vec::new();
        for edge in links.leaving(&graph, from) {
            let node = self.change(edge.to);
            node.waits -= 1;
            node.changed |= news.changed;
            node.refresh |= news.refresh || (edge.notify && news.changed);
            node.shadow = node.shadow.or(news.shadow);
            if let (Some((field, param)), Some(sends)) = (&edge.send, news.sends)
                && let Some(value) = sends.get(field)
            {
                node.received.push((Arc::clone(param), value.clone()));
                node.guessed |= news.guess || value.holds_unknown();
            }
            if node.waits == 0 && node.state == TurnState::Waiting {
                free.push(edge.to);
            }
        }
        free
    }

    /// Blocks all dependents of a node. Returns the resources among them.
    fn block(&mut self, root: NodeIndex) -> Vec<NodeIndex> {
        let by = self.graph.node(root).id().clone();
        self.block_behind(root, &by)
    }

    fn block_behind(&mut self, root: NodeIndex, by: &ResourceId) -> Vec<NodeIndex> {
        let mut blocked = Vec::new();
        let mut open = vec![root];
        let (graph, links) = (Arc::clone(&self.graph), Arc::clone(&self.links));
        while let Some(at) = open.pop() {
            for edge in links.leaving(&graph, at) {
                let to = edge.to;
                if self.get(to).state != TurnState::Waiting {
                    continue;
                }
                self.change(to).state = TurnState::Blocked { by: by.clone() };
                self.ready.remove(&self.key(to));
                if self.resource(to).is_some() {
                    blocked.push(to);
                }
                open.push(to);
            }
        }
        blocked.sort_unstable();
        blocked
    }

    /// Replaces the parameters of a resource.
    pub fn amend(&mut self, at: NodeIndex, resource: Resource) {
        *Arc::make_mut(&mut self.graph).node_mut(at) = Node::Resource(resource);
    }

    /// Makes a failed or skipped node ready again, and releases the nodes that it alone blocked.
    ///
    /// Only the dependents of the node are visited, so that retrying many failures costs only their dependents.
    pub fn again(&mut self, at: NodeIndex) -> bool {
        if !matches!(self.get(at).state, TurnState::Failed { .. } | TurnState::Skipped) {
            return false;
        }
        let id = self.graph.node(at).id().clone();
        self.change(at).state = TurnState::Waiting;
        self.ready.insert(self.key(at));
        let (graph, links) = (Arc::clone(&self.graph), Arc::clone(&self.links));
        let mut freed = Vec::new();
        let mut open = vec![at];
        while let Some(from) = open.pop() {
            for edge in links.leaving(&graph, from) {
                if matches!(&self.get(edge.to).state, TurnState::Blocked { by } if *by == id) {
                    self.change(edge.to).state = TurnState::Waiting;
                    freed.push(edge.to);
                    open.push(edge.to);
                }
            }
        }
        // Another failure may block the same nodes. It was not recorded, because the first one is.
        for node in freed {
            for edge in links.entering(&graph, node) {
                let by = match &self.get(edge.from).state {
                    TurnState::Failed { .. } => graph.node(edge.from).id().clone(),
                    TurnState::Skipped if !self.get(edge.from).released => graph.node(edge.from).id().clone(),
                    TurnState::Blocked { by } => by.clone(),
                    _ => continue,
                };
                if self.get(node).state == TurnState::Waiting {
                    self.change(node).state = TurnState::Blocked { by: by.clone() };
                }
                self.block_behind(node, &by);
            }
        }
        true
    }
}

/// Returns the position of each node in the order of a graph. Nodes on a cycle come last.
fn places(graph: &Graph) -> Vec<u32> {
    let mut places = vec![u32::MAX; graph.len()];
    for (at, place) in order(graph).order.into_iter().zip(0..) {
        places[at.0 as usize] = place;
    }
    places
}
