//! Where every node of a run stands, and the log that takes turns back exactly.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::graph::order::order;
use crate::graph::{Graph, Node, NodeIndex, Params, Resource, ResourceId, Value};
use crate::plan::{Certainty, Step};

use super::links::Links;
use super::message::TurnState;
use super::turn::Outcome;

/// One node's part in a run.
#[derive(Clone)]
pub(super) struct NodeState {
    pub state: TurnState,
    /// How many edges that enter it still wait for their other end.
    waits: u32,
    /// Whether those that it holds back were let go.
    released: bool,
    /// Something that it listens to has changed.
    pub refresh: bool,
    /// Something that an anchor stands for has changed.
    changed: bool,
    pub received: Vec<(Arc<str>, Value)>,
    /// What was received may turn out otherwise.
    pub guessed: bool,
    /// The nearest step before it of unknown reach.
    pub shadow: Option<NodeIndex>,
    /// Whether its own turn changed the machine, or would.
    pub applied: bool,
    /// The last turn that was taken.
    pub step: Option<Arc<Step>>,
}

/// All nodes, what may come next, and what each turn replaced.
pub(super) struct States {
    graph: Arc<Graph>,
    links: Arc<Links>,
    nodes: Vec<NodeState>,
    /// By their places in the order.
    ready: BTreeSet<(u32, NodeIndex)>,
    /// The place of each node in the order of the whole graph, where the ends of containers make that another than the
    /// order of their numbers.
    places: Option<Arc<Vec<u32>>>,
    /// What the turn at work replaced.
    saved: Vec<(NodeIndex, NodeState)>,
}

/// What those behind a node learn when it is through.
struct News<'a> {
    changed: bool,
    refresh: bool,
    shadow: Option<NodeIndex>,
    sends: Option<&'a Params>,
    /// What is sent may turn out otherwise.
    guess: bool,
}

impl States {
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

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    pub fn shared_graph(&self) -> Arc<Graph> {
        Arc::clone(&self.graph)
    }

    pub fn links(&self) -> &Links {
        &self.links
    }

    pub fn get(&self, at: NodeIndex) -> &NodeState {
        &self.nodes[at.0 as usize]
    }

    /// What may come next, first things first.
    pub fn ready(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.ready.iter().map(|(_, at)| *at)
    }

    pub fn is_ready(&self, at: NodeIndex) -> bool {
        self.ready.contains(&self.key(at))
    }

    fn key(&self, at: NodeIndex) -> (u32, NodeIndex) {
        (self.place(at), at)
    }

    /// Where a node comes among those that could be next.
    pub fn place(&self, at: NodeIndex) -> u32 {
        self.places.as_ref().map_or(at.0, |places| places[at.0 as usize])
    }

    /// How many edges that enter a node still wait for their other end.
    pub fn waits(&self, at: NodeIndex) -> u32 {
        self.get(at).waits
    }

    /// The resource of a node that takes turns.
    pub fn resource(&self, at: NodeIndex) -> Option<&Resource> {
        self.graph.resource(at).filter(|_| self.graph.node(at).takes_turn())
    }

    /// The resources that take turns, in order of declaration.
    pub fn resources(&self) -> impl Iterator<Item = (NodeIndex, &Resource)> {
        self.graph.resources().filter(|(_, resource)| !resource.is_hidden())
    }

    /// Changes a node, and remembers what it was.
    fn change(&mut self, at: NodeIndex) -> &mut NodeState {
        let node = &mut self.nodes[at.0 as usize];
        self.saved.push((at, node.clone()));
        node
    }

    /// The step of a node, for good.
    pub fn take_step(&mut self, at: NodeIndex) -> Option<Arc<Step>> {
        self.nodes[at.0 as usize].step.take()
    }

    /// What was replaced since the last call, for [`States::restore`].
    pub fn take_saved(&mut self) -> Vec<(NodeIndex, NodeState)> {
        std::mem::take(&mut self.saved)
    }

    /// The same where it is not wanted: nothing.
    pub fn forget_saved(&mut self) -> Vec<(NodeIndex, NodeState)> {
        self.saved.clear();
        Vec::new()
    }

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

    /// Takes a node out of those that could be next, because it is at work or waits for something outside the graph.
    /// Whether its turn is still to end.
    pub fn is_open(&self, at: NodeIndex) -> bool {
        matches!(self.get(at).state, TurnState::Waiting | TurnState::Running)
    }

    pub fn set_aside(&mut self, at: NodeIndex) {
        self.ready.remove(&self.key(at));
    }

    pub fn put_back(&mut self, at: NodeIndex) {
        self.ready.insert(self.key(at));
    }

    /// A turn came to its end with the machine as wanted, or predicted so.
    pub fn done(&mut self, at: NodeIndex, outcome: &Outcome, step: Arc<Step>) {
        self.end(at, TurnState::Done, step);
        self.change(at).applied = outcome.changed;
        self.release(at, outcome);
    }

    /// A resource is left out. What needs it goes on only if it is right already.
    pub fn skipped(&mut self, at: NodeIndex, is_right: bool, outcome: &Outcome, step: Arc<Step>) -> Vec<NodeIndex> {
        self.end(at, TurnState::Skipped, step);
        if is_right {
            self.release(at, outcome);
            Vec::new()
        } else {
            self.block(at)
        }
    }

    /// `is_undone`: what was done did not last.
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

    /// Lets go what waited for a resource, and passes on what it changed and sends.
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
        let free = self.tell(at, &news);
        self.arrive(free);
    }

    /// A resource that is through sends anew: those that receive another value than before take their turns again.
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

    /// Nodes that wait for nothing any more: resources become ready, all else lets go what waits for it.
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
                // Only what came by an edge that notifies goes on, and only by such edges.
                Node::Anchor(_) => (refresh, false),
                // A pending refresh of a hidden resource reaches everything behind it, whatever the edge says.
                Node::Resource(_) => (changed, refresh),
            };
            let news = News { changed, refresh, shadow, sends: None, guess: false };
            free.extend(self.tell(at, &news));
        }
    }

    /// Tells the nodes behind one that it is through. Returns those that wait for nothing more.
    fn tell(&mut self, from: NodeIndex, news: &News) -> Vec<NodeIndex> {
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

    /// Blocks all that needs a node. Returns the resources among them.
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

    /// Another state of a resource is wanted, in the same place.
    pub fn amend(&mut self, at: NodeIndex, resource: Resource) {
        *Arc::make_mut(&mut self.graph).node_mut(at) = Node::Resource(resource);
    }

    /// Makes a node that failed or was skipped ready again, and frees what it alone blocked.
    ///
    /// Only what lies behind the node is walked, so that trying many failures again costs what depends on each.
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
        // Another failure may hold back the same nodes: it was not named, since the first to block one is.
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

/// The place of each node in the order of a graph; those that a cycle holds come last.
fn places(graph: &Graph) -> Vec<u32> {
    let mut places = vec![u32::MAX; graph.len()];
    for (at, place) in order(graph).order.into_iter().zip(0..) {
        places[at.0 as usize] = place;
    }
    places
}
