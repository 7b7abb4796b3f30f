//! The state of a watching run between its applies: the status of each resource, pending events, and the time of the
//! next check.
//!
//! Events come from paths, commands and the clock. Each waits for its resource's rate limit. [`Upkeep::due`] returns
//! the resources to check now, [`Upkeep::part`] cuts those with pending work out of the graph, and [`Upkeep::ended`]
//! takes their results. A failure is retried as often as `retry` allows. After that the resource is dead until a new
//! graph changes it, or until any new graph if `rewatch` is set.

mod care;
mod pace;
mod part;
mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::Session;
use crate::engine::{self, Tries, takers};
use crate::graph::{Edge, Graph, Node, NodeIndex, ResourceId, Value};
use crate::host::{Followed, LocalLook};
use crate::resource::Watch;

use care::{Care, Clock, Status};
use part::Ways;
pub use places::{Places, alone};

/// The polling interval of paths without notifications.
const BLIND: Duration = Duration::from_secs(10);

/// A message of a followed command: its resource, its generation, and the message.
type CommandMessage = (ResourceId, u64, Followed);

/// All maintained resources.
pub struct Upkeep {
    graph: Arc<Graph>,
    cares: BTreeMap<ResourceId, (u64, Care)>,
    places: Places,
    /// The last received values of resources.
    received: BTreeMap<ResourceId, Vec<(Arc<str>, Value)>>,
    /// Counts generations of resources, so that a message of an old command is not attributed to a new resource.
    life: u64,
    sender: Sender<CommandMessage>,
    messages: Receiver<CommandMessage>,
    /// Messages of `messages` that were read early.
    late: Vec<CommandMessage>,
    /// Whether `watchcmd`s may run.
    with_commands: bool,
}

/// The resources to check now.
#[derive(Debug, Default)]
pub struct Due {
    /// After a possible change.
    pub looks: BTreeSet<ResourceId>,
    /// After a timer of a resource that notifies them.
    pub refreshed: BTreeSet<ResourceId>,
}

impl Due {
    /// Whether no resource is pending.
    pub fn is_empty(&self) -> bool {
        self.looks.is_empty() && self.refreshed.is_empty()
    }
}

/// The resources with work to do.
#[derive(Debug)]
pub struct Part {
    pub graph: Arc<Graph>,
    /// The unchanged resources in it, included only to receive values or refreshes.
    pub unchanged: Arc<BTreeSet<ResourceId>>,
}

/// What follows a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    Again {
        delay: Duration,
        left: Tries,
    },
    /// Another program is changing it too: it is checked again then, regardless of retries.
    Contested {
        delay: Duration,
    },
    Dead,
}

/// How a resource's turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Well {
        changed: bool,
    },
    Failed,
    /// The change was made and did not last.
    Undone,
    /// It was blocked, skipped or not reached.
    NotTaken,
}

impl Upkeep {
    /// Starts without resources. `with_commands`: whether the user's commands may run to watch.
    pub fn new(with_commands: bool) -> Self {
        let (sender, messages) = channel();
        Self {
            graph: Arc::default(),
            cares: BTreeMap::new(),
            places: Places::default(),
            received: BTreeMap::new(),
            life: 0,
            sender,
            messages,
            late: Vec::new(),
            with_commands,
        }
    }

    /// Takes over a graph. Unchanged resources keep their status.
    pub fn take_over(&mut self, session: &Session, graph: &Arc<Graph>, now: Instant) {
        let before = std::mem::replace(&mut self.graph, Arc::clone(graph));
        let (options, look) = (session.engine_options(), LocalLook::new(false));
        self.cares.retain(|id, _| graph.find(id).is_some());
        let (sends_before, sends) = (sends(&before), sends(graph));
        for (id, values) in &mut self.received {
            values.retain(|(param, _)| sends.get(id).is_some_and(|sends| sends.iter().any(|(_, _, to)| to == param)));
        }
        for resource in takers(graph) {
            let same = before.find(&resource.id).and_then(|at| before.resource(at));
            let is_same = same.is_some_and(|old| {
                (old.shown(), &old.mapped, &old.meta) == (resource.shown(), &resource.mapped, &resource.meta)
                    && sends_before.get(&old.id) == sends.get(&old.id)
            });
            let old = self.cares.get(&resource.id).map(|(_, care)| (care.status, care.tries, care.watching.rewatch));
            let tries = match old {
                Some((status, _, rewatch)) if is_same && !(status == Status::Dead && rewatch) => continue,
                Some((_, tries, _)) => Some(tries),
                None => None,
            };
            let watching = engine::watching(resource, &options, &look);
            let tries = tries.filter(|_| !watching.reset).unwrap_or(watching.tries);
            self.life += 1;
            let care = Care::new(watching, tries, now, self.with_commands);
            self.cares.insert(resource.id.clone(), (self.life, care));
        }
        self.index();
    }

    /// Indexes the watched paths of the resources.
    fn index(&mut self) {
        self.places = Places::default();
        for (id, (_, care)) in self.cares.iter().filter(|(_, (_, care))| care.status != Status::Dead) {
            self.places.add(id, &care.watching.watches);
        }
    }

    /// Returns the paths to watch.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.places.paths()
    }

    /// Returns the folders to watch with everything below them.
    pub fn trees(&self) -> impl Iterator<Item = PathBuf> {
        self.places.trees()
    }

    /// Handles changes at some of these paths.
    pub fn touched(&mut self, touched: &BTreeSet<PathBuf>, now: Instant) {
        for id in self.places.near(touched) {
            if let Some((_, care)) = self.cares.get_mut(&id) {
                let rests = care.rests.filter(|rests| *rests > now);
                care.event(now, rests.unwrap_or(now));
            }
        }
    }

    /// Schedules a check of paths without notifications.
    pub fn blind(&mut self, blind: &BTreeSet<PathBuf>, now: Instant) {
        for (_, care) in self.cares.values_mut() {
            let is_blind = care.watching.watches.iter().any(|watch| match watch {
                Watch::Path(path) | Watch::Tree(path) => blind.contains(path),
                Watch::Lines(_) | Watch::Unit(_) | Watch::Every(_) | Watch::Tick(_) => false,
            });
            if is_blind && care.clocks.iter().all(|clock| clock.refreshes) {
                care.clocks.push(Clock { period: BLIND, next: now + BLIND, refreshes: false });
            }
        }
    }

    /// Whether there is an unread message of a command.
    pub fn has_messages(&mut self) -> bool {
        self.late.extend(self.messages.try_iter());
        !self.late.is_empty()
    }

    /// Returns the time of the next action.
    pub fn next(&self) -> Option<Instant> {
        self.cares.values().filter_map(|(_, care)| care.next()).min()
    }

    /// Returns what is due now. Also starts commands that are due.
    pub fn due(&mut self, now: Instant, report: &mut dyn FnMut(&ResourceId, &str)) -> Due {
        self.late.extend(self.messages.try_iter());
        for (id, life, message) in std::mem::take(&mut self.late) {
            let Some((_, care)) = self.cares.get_mut(&id).filter(|(own, _)| *own == life) else { continue };
            match message {
                Followed::Line => care.event(now, now),
                Followed::Ended(why) => care.command_ended(now, &mut |word| report(&id, &format!("{why}; {word}"))),
            }
        }
        let mut due = Due::default();
        for (id, (life, care)) in &mut self.cares {
            if care.status == Status::Dead {
                continue;
            }
            care.start(now, &|message| (id.clone(), *life, message), &self.sender);
            if care.clocks_are_due(now) {
                due.refreshed.extend(notified(&self.graph, id));
            }
            if care.status == Status::Pending {
                continue;
            }
            let is_tried_again = matches!(care.status, Status::Resting(at) if at <= now);
            let has_event = care.waits.is_some_and(|waits| waits <= now) && care.status == Status::Right;
            if is_tried_again || has_event {
                care.waits = None;
                care.status = if is_tried_again { Status::Pending } else { care.status };
                due.looks.insert(id.clone());
            }
        }
        due.refreshed.retain(|id| self.status(id) == Some(Status::Right));
        due
    }

    /// Returns the given resources alone, for a check.
    pub fn alone(&self, wanted: &BTreeSet<ResourceId>) -> Arc<Graph> {
        let nodes = wanted.iter().filter_map(|id| self.graph.find(id)).collect();
        Arc::new(self.with_received(Ways::new(&self.graph).alone(nodes)))
    }

    /// Returns the part of the graph with work to do: pending resources that are not blocked and `also`, with those
    /// that they notify or send to.
    pub fn part(&self, also: &BTreeSet<ResourceId>) -> Part {
        let ways = Ways::new(&self.graph);
        let has_failed = |id| matches!(self.status(id), Some(Status::Dead | Status::Resting(_)));
        let at = |id: &ResourceId| self.graph.find(id);
        let failed: Vec<NodeIndex> = self.cares.keys().filter(|id| has_failed(id)).filter_map(at).collect();
        let after_failed = ways.after(failed, |_| true);
        let pending = self.cares.iter().filter(|(_, (_, care))| care.status == Status::Pending);
        let pending = pending.filter_map(|(id, _)| at(id)).filter(|at| !after_failed.contains(at));
        // A resource that was unchanged before stays in effect, whatever failed before it since.
        let seeds: BTreeSet<NodeIndex> = pending.chain(also.iter().filter_map(at)).collect();
        let seeds = self.with_senders(seeds);
        let is_right = |id: &ResourceId| self.status(id).is_none_or(|status| status == Status::Right);
        let graph = ways.part(seeds.clone(), |at| is_right(self.graph.node(at).id()));
        let is_idle = |id: &ResourceId| at(id).is_none_or(|at| !seeds.contains(&at));
        let unchanged = takers(&graph).map(|one| one.id.clone()).filter(is_idle).collect();
        Part { graph: Arc::new(self.with_received(graph)), unchanged: Arc::new(unchanged) }
    }

    /// Adds the senders of values that the nodes have not received yet.
    fn with_senders(&self, mut seeds: BTreeSet<NodeIndex>) -> BTreeSet<NodeIndex> {
        let lacks = |to: NodeIndex, param: &Arc<str>| {
            let values = self.received.get(self.graph.node(to).id());
            values.is_none_or(|values| values.iter().all(|(name, _)| name != param))
        };
        loop {
            let open = self.graph.edges().iter().filter(|edge| seeds.contains(&edge.to) && !seeds.contains(&edge.from));
            let missing = |edge: &&Edge| edge.send.as_ref().is_some_and(|(_, param)| lacks(edge.to, param));
            let senders: Vec<NodeIndex> = open.filter(missing).map(|edge| edge.from).collect();
            if senders.is_empty() {
                return seeds;
            }
            seeds.extend(senders);
        }
    }

    fn status(&self, id: &ResourceId) -> Option<Status> {
        self.cares.get(id).map(|(_, care)| care.status)
    }

    /// Inserts the last received values into a part of the graph.
    fn with_received(&self, mut graph: Graph) -> Graph {
        for (id, values) in &self.received {
            if let Some(at) = graph.find(id)
                && let Node::Resource(resource) = graph.node_mut(at)
            {
                for (param, value) in values {
                    resource.set(Arc::clone(param), value.clone());
                }
            }
        }
        graph
    }

    /// Takes the results of a part, with the graph of its final values. Returns what follows each failure.
    pub fn ended(
        &mut self,
        part: &Part,
        result: Option<&Graph>,
        how: impl Fn(&ResourceId) -> Ended,
        now: Instant,
    ) -> Vec<(ResourceId, AfterFailure)> {
        let mut fates = Vec::new();
        for resource in takers(&part.graph) {
            let id = &resource.id;
            let Some((_, care)) = self.cares.get_mut(id) else { continue };
            if part.unchanged.contains(id) && care.status != Status::Right {
                // It was included only to notify others.
                continue;
            }
            match how(id) {
                Ended::Well { changed } => care.ended_well(changed, now),
                Ended::Failed => fates.push((id.clone(), care.failed(now))),
                Ended::Undone => fates.push((id.clone(), care.undone(now))),
                Ended::NotTaken => {}
            }
        }
        if let Some(result) = result {
            self.keep_received(result, &how);
        }
        if fates.iter().any(|(_, fate)| *fate == AfterFailure::Dead) {
            self.index();
        }
        fates
    }

    fn keep_received(&mut self, result: &Graph, how: &impl Fn(&ResourceId) -> Ended) {
        for edge in result.edges() {
            let Some((_, param)) = &edge.send else { continue };
            let Some(to) = result.resource(edge.to).filter(|to| matches!(how(&to.id), Ended::Well { .. })) else {
                continue;
            };
            let Some(value) = to.meant().params.get(param) else { continue };
            let values = self.received.entry(to.id.clone()).or_default();
            values.retain(|(name, _)| name != param);
            values.push((Arc::clone(param), value.clone()));
        }
    }
}

/// The sends of each resource: sender, field, and parameter.
type Sends = BTreeMap<ResourceId, BTreeSet<(ResourceId, Arc<str>, Arc<str>)>>;

fn sends(graph: &Graph) -> Sends {
    let mut sends = Sends::new();
    for edge in graph.edges() {
        if let Some((field, param)) = &edge.send {
            let (from, to) = (graph.node(edge.from).id().clone(), graph.node(edge.to).id().clone());
            sends.entry(to).or_default().insert((from, Arc::clone(field), Arc::clone(param)));
        }
    }
    sends
}

/// Returns the resources that one notifies.
fn notified(graph: &Graph, id: &ResourceId) -> BTreeSet<ResourceId> {
    let Some(from) = graph.find(id) else { return BTreeSet::new() };
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for edge in graph.edges().iter().filter(|edge| edge.from == at && edge.notify) {
            match graph.node(edge.to) {
                Node::Resource(resource) => drop(found.insert(resource.id.clone())),
                Node::Anchor(_) if seen.insert(edge.to) => open.push(edge.to),
                Node::Anchor(_) => {}
            }
        }
    }
    found
}
