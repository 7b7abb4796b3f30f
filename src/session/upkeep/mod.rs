//! What a run that watches knows from one converge to the next: where each resource stands, what may have changed it, and
//! when it is to be looked at again.
//!
//! Events come in from paths, commands and the clock; each waits for its resource's pace. [`Upkeep::due`] gives what is to
//! be looked at now, [`Upkeep::part`] what has work to do, cut out of the graph, and [`Upkeep::ended`] takes in how that
//! went. A failure is tried again as long as `retry` gives tries; one without tries left is dead: nothing wakes it but
//! another graph, and only if it is another resource there, or `rewatch` is set.

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

use care::{Care, Clock, Standing};
use part::Ways;
pub use places::{Places, alone};

/// How often paths are looked at that the system does not tell of.
const BLIND: Duration = Duration::from_secs(10);

/// What a followed command said: whose, in which life, and what.
type Said = (ResourceId, u64, Followed);

/// Everything under care.
pub struct Upkeep {
    graph: Arc<Graph>,
    cares: BTreeMap<ResourceId, (u64, Care)>,
    places: Places,
    /// What resources received last.
    received: BTreeMap<ResourceId, Vec<(Arc<str>, Value)>>,
    /// Counts lives of resources, so that what the last one's command says is not taken for this one's.
    life: u64,
    say: Sender<Said>,
    heard: Receiver<Said>,
    /// What came in of `heard` before it was asked for.
    late: Vec<Said>,
    /// Whether `watchcmd`s may run.
    with_commands: bool,
}

/// What is to be looked at now.
#[derive(Debug, Default)]
pub struct Due {
    /// Because something may have happened to them.
    pub looks: BTreeSet<ResourceId>,
    /// Because time has passed for what notifies them.
    pub refreshed: BTreeSet<ResourceId>,
}

impl Due {
    pub fn is_empty(&self) -> bool {
        self.looks.is_empty() && self.refreshed.is_empty()
    }
}

/// What has work to do now.
#[derive(Debug)]
pub struct Part {
    pub graph: Arc<Graph>,
    /// Those in it that are right, and there only for what may come to them.
    pub settled: Arc<BTreeSet<ResourceId>>,
}

/// What became of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Again {
        delay: Duration,
        left: Tries,
    },
    /// Somebody else is at it too: it is looked at then, whatever tries are left.
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
    /// It was done, and did not last.
    Undone,
    /// It was blocked, left out or not reached.
    NotTaken,
}

impl Upkeep {
    /// Nothing is under care yet. `with_commands`: whether the user's own commands may run to watch.
    pub fn new(with_commands: bool) -> Self {
        let (say, heard) = channel();
        Self {
            graph: Arc::default(),
            cares: BTreeMap::new(),
            places: Places::default(),
            received: BTreeMap::new(),
            life: 0,
            say,
            heard,
            late: Vec::new(),
            with_commands,
        }
    }

    /// Takes over a graph. What is the same in it as before stays as it stands.
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
            let old = self.cares.get(&resource.id).map(|(_, care)| (care.standing, care.tries, care.watching.rewatch));
            let tries = match old {
                Some((standing, _, rewatch)) if is_same && !(standing == Standing::Dead && rewatch) => continue,
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

    /// Which resources ask about which paths.
    fn index(&mut self) {
        self.places = Places::default();
        for (id, (_, care)) in self.cares.iter().filter(|(_, (_, care))| care.standing != Standing::Dead) {
            self.places.add(id, &care.watching.watches);
        }
    }

    /// The paths to be watched.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.places.paths()
    }

    /// The paths to be watched with all that lies below them.
    pub fn trees(&self) -> impl Iterator<Item = PathBuf> {
        self.places.trees()
    }

    /// Something happened at some of these paths.
    pub fn touched(&mut self, touched: &BTreeSet<PathBuf>, now: Instant) {
        for id in self.places.near(touched) {
            if let Some((_, care)) = self.cares.get_mut(&id) {
                let rests = care.rests.filter(|rests| *rests > now);
                care.event(now, rests.unwrap_or(now));
            }
        }
    }

    /// Looks again in time at what lies at paths that the system does not tell of.
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

    /// Whether a command has said something that nobody asked for yet.
    pub fn has_heard(&mut self) -> bool {
        self.late.extend(self.heard.try_iter());
        !self.late.is_empty()
    }

    /// When something is due next.
    pub fn next(&self) -> Option<Instant> {
        self.cares.values().filter_map(|(_, care)| care.next()).min()
    }

    /// What is due by now. Also starts commands that are to run.
    pub fn due(&mut self, now: Instant, tell: &mut dyn FnMut(&ResourceId, &str)) -> Due {
        self.late.extend(self.heard.try_iter());
        for (id, life, said) in std::mem::take(&mut self.late) {
            let Some((_, care)) = self.cares.get_mut(&id).filter(|(own, _)| *own == life) else { continue };
            match said {
                Followed::Line => care.event(now, now),
                Followed::Ended(why) => care.command_ended(now, &mut |word| tell(&id, &format!("{why}; {word}"))),
            }
        }
        let mut due = Due::default();
        for (id, (life, care)) in &mut self.cares {
            if care.standing == Standing::Dead {
                continue;
            }
            care.start(now, &|said| (id.clone(), *life, said), &self.say);
            if care.clocks_are_due(now) {
                due.refreshed.extend(notified(&self.graph, id));
            }
            if care.standing == Standing::Pending {
                continue;
            }
            let is_tried_again = matches!(care.standing, Standing::Resting(at) if at <= now);
            let has_event = care.waits.is_some_and(|waits| waits <= now) && care.standing == Standing::Right;
            if is_tried_again || has_event {
                care.waits = None;
                care.standing = if is_tried_again { Standing::Pending } else { care.standing };
                due.looks.insert(id.clone());
            }
        }
        due.refreshed.retain(|id| self.standing(id) == Some(Standing::Right));
        due
    }

    /// The given resources alone, to be looked at.
    pub fn alone(&self, wanted: &BTreeSet<ResourceId>) -> Arc<Graph> {
        let nodes = wanted.iter().filter_map(|id| self.graph.find(id)).collect();
        Arc::new(self.with_received(Ways::new(&self.graph).alone(nodes)))
    }

    /// What has work to do: what waits for its turn and is not blocked, and these too, with what they notify or send to.
    pub fn part(&self, also: &BTreeSet<ResourceId>) -> Part {
        let ways = Ways::new(&self.graph);
        let has_failed = |id| matches!(self.standing(id), Some(Standing::Dead | Standing::Resting(_)));
        let at = |id: &ResourceId| self.graph.find(id);
        let failed: Vec<NodeIndex> = self.cares.keys().filter(|id| has_failed(id)).filter_map(at).collect();
        let behind_failed = ways.behind(failed, |_| true);
        let pending = self.cares.iter().filter(|(_, (_, care))| care.standing == Standing::Pending);
        let pending = pending.filter_map(|(id, _)| at(id)).filter(|at| !behind_failed.contains(at));
        // One that was right before goes on as it was, whatever failed before it since.
        let seeds: BTreeSet<NodeIndex> = pending.chain(also.iter().filter_map(at)).collect();
        let seeds = self.with_senders(seeds);
        let is_right = |id: &ResourceId| self.standing(id).is_none_or(|standing| standing == Standing::Right);
        let graph = ways.part(seeds.clone(), |at| is_right(self.graph.node(at).id()));
        let is_idle = |id: &ResourceId| at(id).is_none_or(|at| !seeds.contains(&at));
        let settled = takers(&graph).map(|one| one.id.clone()).filter(is_idle).collect();
        Part { graph: Arc::new(self.with_received(graph)), settled: Arc::new(settled) }
    }

    /// Some nodes, and those that send to them what they have not received yet.
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

    fn standing(&self, id: &ResourceId) -> Option<Standing> {
        self.cares.get(id).map(|(_, care)| care.standing)
    }

    /// A part of the graph, with what its resources received last.
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

    /// Takes in how a part ended, with the graph that gives what was received. Gives what becomes of failures.
    pub fn ended(
        &mut self,
        part: &Part,
        result: Option<&Graph>,
        how: impl Fn(&ResourceId) -> Ended,
        now: Instant,
    ) -> Vec<(ResourceId, Fate)> {
        let mut fates = Vec::new();
        for resource in takers(&part.graph) {
            let id = &resource.id;
            let Some((_, care)) = self.cares.get_mut(id) else { continue };
            if part.settled.contains(id) && care.standing != Standing::Right {
                // It was there only so that others know of it.
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
        if fates.iter().any(|(_, fate)| *fate == Fate::Dead) {
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

/// What resources are sent: by whom, which field, into which parameter.
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

/// The resources that one notifies.
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
