//! Concurrent turns along the graph.
//!
//! The caller's thread decides and reports: it begins turns in order of declaration, takes their results, and releases
//! their dependents. Turns that touch a common path wait for each other, in the order of a dry run. Workers only
//! perform attempts. A failed turn that waits for its next attempt holds neither a worker nor a semaphore. Turns that
//! mostly wait for the disk are gathered: one worker performs a group while the next group gathers. If only one turn
//! may begin and it is such a turn, the caller's thread performs it and prepares the following ones.

mod in_order;

use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::graph::{Graph, NodeIndex, Resource, ResourceId, Value};
use crate::host::{Host, Progress};
use crate::resource::{Managed, kind, reversal};

use super::footprints::Footprints;
use super::gate::Gate;
use super::message::{Event, Pause};
use super::meta::Tries;
use super::run::{Ended, Options, Run};
use super::semas::Semaphores;
use super::turn::{Outcome, TurnInput, again_line, attempt, attempt_all, attempt_in_order};

/// How often to check for a stop.
const LOOK: Duration = Duration::from_millis(50);

/// The largest group of disk-bound turns. A larger one would delay a stop without a gain.
const GATHERED: usize = 4096;

/// Longer than any run.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The data shared by all workers.
struct Shared {
    graph: Arc<Graph>,
    host: Arc<dyn Host>,
    managed: Arc<Managed>,
    options: Options,
}

/// One attempt, with its inputs.
struct Job {
    at: NodeIndex,
    received: Vec<(Arc<str>, Value)>,
    guessed: bool,
    refresh: bool,
    shadow: Option<ResourceId>,
    is_received: bool,
    only_look: bool,
    /// The approved step applies to the state before the first attempt only.
    is_first: bool,
}

/// The work of a worker at one time.
struct Work {
    jobs: Vec<Job>,
    /// A gathered group, as opposed to a single turn.
    gathered: bool,
}

/// A message of a worker.
enum WorkerMessage {
    Line(NodeIndex, String),
    Ended { outcomes: Vec<(NodeIndex, Outcome)>, gathered: bool },
}

/// A turn that has begun.
struct AtWork {
    begun: Instant,
    host_turns: usize,
    tries: Tries,
    only_look: bool,
}

/// A turn that waits for its next attempt. The next one is the greatest, as the heap requires.
struct Delayed {
    due: Instant,
    at: NodeIndex,
    /// How the turn ends if the run is stopped first.
    outcome: Outcome,
}

impl PartialEq for Delayed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Delayed {}

impl PartialOrd for Delayed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Delayed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.due, other.at).cmp(&(self.due, self.at))
    }
}

/// The state of the turns of one `Continue` or `Finish`.
struct Floor {
    turns: FxHashMap<NodeIndex, AtWork>,
    delayed: BinaryHeap<Delayed>,
    semas: Semaphores,
    footprints: Footprints,
    /// How far turns may begin, if the run may stop before its end.
    gate: Option<Gate>,
    /// The number of concurrent attempts, not counting gathered ones.
    jobs: usize,
    /// The number of workers with an attempt.
    busy: usize,
    /// Attempts of the next group; `None` if turns are not gathered.
    gathered: Option<Vec<Job>>,
    /// A worker is performing a group.
    at_gathered: bool,
    /// Why no more turns begin.
    hold: Option<Pause>,
    has_begun: bool,
}

impl Floor {
    /// Whether one more attempt may begin, and whether it is gathered.
    fn room(&self, mostly_waits: bool) -> Option<bool> {
        match &self.gathered {
            Some(gathered) if mostly_waits => (gathered.len() < GATHERED).then_some(true),
            _ => (self.busy < self.jobs).then_some(false),
        }
    }

    fn is_quiet(&self) -> bool {
        self.busy == 0 && !self.at_gathered && self.delayed.is_empty()
    }
}

impl Run {
    /// Runs turns until the end, or until a pause. `until` is a place to pause. Waits for the turns that have begun.
    pub(super) fn side_by_side(
        &mut self,
        jobs: usize,
        pauses: Option<Option<NodeIndex>>,
        emit: &mut dyn FnMut(Event),
    ) -> Pause {
        let shared = Shared {
            graph: self.states.shared_graph(),
            host: Arc::clone(&self.host),
            managed: Arc::clone(&self.managed),
            options: self.options.clone(),
        };
        // A user who steps, or sets the number of jobs, gets exactly that.
        let gathers = self.options.jobs == 0 && pauses.is_none() && self.host.batch().is_some();
        let mut floor = Floor {
            turns: FxHashMap::default(),
            delayed: BinaryHeap::new(),
            semas: Semaphores::default(),
            footprints: Footprints::new(&self.states, self.picked, &*self.host.turn()),
            gate: pauses.map(|until| self.gate(until)),
            jobs,
            busy: 0,
            gathered: gathers.then(Vec::new),
            at_gathered: false,
            hold: None,
            has_begun: false,
        };
        let (give, jobs_given) = channel::<Work>();
        let (sender, messages) = channel();
        let jobs_given = Mutex::new(jobs_given);
        std::thread::scope(|scope| {
            // Moved in, so that they are dropped here and the workers end.
            let (give, sender) = (give, sender);
            let mut workers = 0;
            let mut give = |work: Work, at_once: usize| {
                if workers < at_once {
                    workers += 1;
                    let (shared, jobs_given, sender) = (&shared, &jobs_given, sender.clone());
                    scope.spawn(move || take(shared, jobs_given, &sender));
                }
                give.send(work).expect("the workers live as long as this end of the line");
            };
            loop {
                while let Some((job, gathers)) = self.begin(&mut floor, pauses, emit) {
                    match &mut floor.gathered {
                        Some(gathered) if gathers => gathered.push(job),
                        _ => {
                            floor.busy += 1;
                            give(
                                Work { jobs: vec![job], gathered: false },
                                floor.busy + usize::from(floor.at_gathered),
                            );
                        }
                    }
                }
                if let Some(gathered) = floor.gathered.as_mut().filter(|gathered| !gathered.is_empty())
                    && !floor.at_gathered
                {
                    if gathered.len() == 1 && floor.busy == 0 && floor.delayed.is_empty() {
                        let job = gathered.remove(0);
                        self.in_order(&mut floor, &shared, job, (&sender, &messages), emit);
                        continue;
                    }
                    floor.at_gathered = true;
                    give(Work { jobs: std::mem::take(gathered), gathered: true }, floor.busy + 1);
                }
                if floor.is_quiet() {
                    break;
                }
                self.wait(&mut floor, &messages, pauses.is_some(), emit);
            }
        });
        for at in floor.semas.drain().chain(floor.footprints.drain()).collect::<Vec<_>>() {
            self.states.put_back(at);
        }
        floor.hold.unwrap_or(Pause::End)
    }

    /// Returns the places where a run that continues up to a node may stop.
    fn gate(&self, until: Option<NodeIndex>) -> Gate {
        let stops = self.breakpoints.iter().copied().chain(until).collect();
        Gate::new(&self.states, self.picked, self.next_node(), &stops)
    }

    /// Returns the next turn that may begin: the first ready one before the gate's next stop.
    fn let_through(&self, floor: &mut Floor) -> Option<NodeIndex> {
        let next = self.next_node();
        let Some(gate) = floor.gate.as_mut().filter(|_| floor.has_begun) else { return next };
        let picked = self.picked.filter(|picked| Some(*picked) == next);
        let mut all = picked.into_iter().chain(self.states.ready());
        all.find(|at| gate.lets(&self.states, *at))
    }

    /// If all turns before the next stop are finished, returns the stop and the reason.
    fn arrived(&self, floor: &mut Floor, until: Option<NodeIndex>) -> Option<(NodeIndex, Pause)> {
        let stop = floor.gate.as_mut()?.stop(&self.states)?;
        let is_there = floor.has_begun && floor.turns.is_empty() && self.states.is_ready(stop);
        is_there.then(|| (stop, if until == Some(stop) { Pause::Cursor } else { Pause::Breakpoint }))
    }

    /// Begins the next possible attempt. Returns whether it was gathered.
    fn begin(
        &mut self,
        floor: &mut Floor,
        pauses: Option<Option<NodeIndex>>,
        emit: &mut dyn FnMut(Event),
    ) -> Option<(Job, bool)> {
        loop {
            if self.options.stop.is_cancelled() {
                floor.hold = floor.hold.take().or(Some(Pause::Stopped));
            }
            let at = match floor.hold {
                None => match self.let_through(floor) {
                    Some(at) => at,
                    None => {
                        let (at, why) = self.arrived(floor, pauses?)?;
                        self.picked = Some(at);
                        floor.hold = Some(why);
                        return None;
                    }
                },
                // A turn that has begun is finished.
                Some(_) => floor.turns.keys().copied().filter(|at| self.states.is_ready(*at)).min()?,
            };
            if floor.footprints.holds(&self.states, at) {
                self.states.set_aside(at);
                continue;
            }
            let gathers = floor.room(self.mostly_waits(at))?;
            self.states.set_aside(at);
            self.picked = self.picked.filter(|picked| *picked != at);
            match floor.semas.take(self.states.graph(), at) {
                Ok(()) => return Some((self.job(floor, at, emit), gathers)),
                Err(others) => others.into_iter().for_each(|other| self.states.put_back(other)),
            }
        }
    }

    fn mostly_waits(&self, at: NodeIndex) -> bool {
        let resource = self.states.graph().resource(at);
        // Such a turn does more than its own operations: it also stores or removes reversals.
        let has_more = |one: &&Resource| reversal::is_wanted(one) || reversal::is_reversal(one);
        let wanted = resource.filter(|one| !has_more(one)).and_then(|resource| resource.wanted());
        wanted.is_some_and(|wanted| {
            kind(&wanted.kind).is_some_and(|kind| kind.mostly_waits(&wanted.name, &wanted.params))
        })
    }

    fn job(&mut self, floor: &mut Floor, at: NodeIndex, emit: &mut dyn FnMut(Event)) -> Job {
        let is_first = !floor.turns.contains_key(&at);
        self.enter(floor, at, emit);
        self.job_of(at, is_first)
    }

    /// Registers a turn, if it has not begun yet.
    fn enter(&self, floor: &mut Floor, at: NodeIndex, emit: &mut dyn FnMut(Event)) {
        floor.has_begun = true;
        if let Entry::Vacant(entry) = floor.turns.entry(at) {
            let only_look = self.is_left_out(at);
            if !only_look {
                self.report_begun(at, emit);
            }
            let graph = self.states.graph();
            let tries = graph.resource(at).filter(|_| !self.options.one_try).map_or(Tries::Left(0), Tries::of);
            let (begun, host_turns) = (Instant::now(), self.host.turns());
            entry.insert(AtWork { begun, host_turns, tries, only_look });
        }
    }

    fn job_of(&self, at: NodeIndex, is_first: bool) -> Job {
        let (node, graph) = (self.states.get(at), self.states.graph());
        Job {
            at,
            received: node.received.clone(),
            guessed: node.guessed,
            refresh: node.refresh,
            shadow: node.shadow.map(|shadow| graph.node(shadow).id().clone()),
            is_received: self.states.links().leaving(graph, at).any(|edge| edge.send.is_some()),
            only_look: self.is_left_out(at) || self.options.noop,
            is_first,
        }
    }

    /// Waits for the end of an attempt, for the time of a retry, or for a moment.
    fn wait(
        &mut self,
        floor: &mut Floor,
        messages: &Receiver<WorkerMessage>,
        stops_at_failure: bool,
        emit: &mut dyn FnMut(Event),
    ) {
        let due = floor.delayed.peek().map(|next| next.due.saturating_duration_since(Instant::now()));
        match messages.recv_timeout(due.map_or(LOOK, |due| due.min(LOOK))) {
            Ok(WorkerMessage::Line(at, line)) => self.report_line(at, line, emit),
            Ok(WorkerMessage::Ended { outcomes, gathered }) => {
                if gathered {
                    floor.at_gathered = false;
                } else {
                    floor.busy -= 1;
                }
                for (at, outcome) in outcomes {
                    self.through(floor, at, outcome, stops_at_failure, emit);
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        let gives_up = self.options.stop.is_cancelled() || self.options.abort.is_cancelled();
        while let Some(next) = floor.delayed.peek()
            && (gives_up || next.due <= Instant::now())
        {
            let Some(Delayed { at, outcome, .. }) = floor.delayed.pop() else { break };
            if gives_up {
                self.ended(floor, at, &outcome, stops_at_failure, emit);
            } else {
                self.states.put_back(at);
            }
        }
    }

    fn report_line(&self, at: NodeIndex, line: String, emit: &mut dyn FnMut(Event)) {
        let resource = self.states.graph().node(at).id().clone();
        emit(Event::Output { resource, line });
    }

    /// Ends an attempt and releases its semaphores.
    fn through(
        &mut self,
        floor: &mut Floor,
        at: NodeIndex,
        outcome: Outcome,
        stops_at_failure: bool,
        emit: &mut dyn FnMut(Event),
    ) {
        let free = floor.semas.release(self.states.graph(), at);
        free.into_iter().for_each(|free| self.states.put_back(free));
        self.tried(floor, at, outcome, stops_at_failure, emit);
    }

    /// Ends the turn, or schedules another attempt.
    fn tried(
        &mut self,
        floor: &mut Floor,
        at: NodeIndex,
        outcome: Outcome,
        stops_at_failure: bool,
        emit: &mut dyn FnMut(Event),
    ) {
        let gives_up = self.options.stop.is_cancelled() || self.options.abort.is_cancelled();
        let turn = floor.turns.get_mut(&at).expect("a try belongs to a turn that has begun");
        let next = turn.tries.next().filter(|_| outcome.may_be_tried_again && !gives_up);
        let (Some(left), Some(error), Some(resource)) = (next, &outcome.error, self.states.graph().resource(at)) else {
            return self.ended(floor, at, &outcome, stops_at_failure, emit);
        };
        turn.tries = left;
        emit(Event::Output { resource: resource.id.clone(), line: again_line(resource, error, left) });
        // A time beyond the clock's range counts as never.
        let due = Instant::now().checked_add(resource.meta.delay()).unwrap_or_else(|| Instant::now() + NEVER);
        floor.delayed.push(Delayed { due, at, outcome });
    }

    fn ended(
        &mut self,
        floor: &mut Floor,
        at: NodeIndex,
        outcome: &Outcome,
        stops_at_failure: bool,
        emit: &mut dyn FnMut(Event),
    ) {
        let AtWork { begun, host_turns, only_look, .. } = floor.turns.remove(&at).expect("a turn that ends has begun");
        let picked = self.picked;
        if only_look {
            self.left_out(at, outcome, begun, host_turns, emit);
        } else if self.turned(at, outcome, begun, host_turns, emit) == Ended::Failed && stops_at_failure {
            floor.hold = floor.hold.take().or(Some(Pause::Failure));
        }
        // The end of a turn does not change the user's pick.
        self.picked = picked;
        floor.footprints.over(&self.states, at).into_iter().for_each(|free| self.states.put_back(free));
    }
}

/// Performs attempts until the channel closes.
fn take(shared: &Shared, given: &Mutex<Receiver<Work>>, sender: &Sender<WorkerMessage>) {
    loop {
        let work = given.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Work { jobs, gathered }) = work else { return };
        let aloud: Vec<Progress> = jobs.iter().map(|job| aloud(job.at, sender.clone())).collect();
        let givens: Vec<TurnInput> =
            jobs.iter().zip(&aloud).map(|(job, progress)| shared.given(job, progress)).collect();
        let outcomes = match givens.as_slice() {
            [only] => vec![attempt(&*shared.host, only)],
            several => attempt_all(&*shared.host, several),
        };
        let outcomes = jobs.iter().map(|job| job.at).zip(outcomes).collect();
        if sender.send(WorkerMessage::Ended { outcomes, gathered }).is_err() {
            return;
        }
    }
}

/// Passes on the progress messages of a turn.
fn aloud(at: NodeIndex, sender: Sender<WorkerMessage>) -> Progress {
    Arc::new(move |line: &str| drop(sender.send(WorkerMessage::Line(at, line.to_owned()))))
}

impl Shared {
    fn given<'a>(&'a self, job: &'a Job, progress: &'a Progress) -> TurnInput<'a> {
        let resource = self.graph.resource(job.at).expect("only resources take turns");
        let approved = self.options.approved.as_ref().filter(|_| job.is_first);
        TurnInput {
            resource,
            received: &job.received,
            guessed: job.guessed,
            refresh: job.refresh,
            shadow: job.shadow.as_ref(),
            managed: &self.managed,
            state: self.options.state.as_deref(),
            hostname: &self.options.hostname,
            is_received: job.is_received,
            is_unchanged: self.options.unchanged.contains(&resource.id),
            one_try: true,
            reversals: self.options.reversals.as_deref(),
            only_look: job.only_look,
            seal: self.options.seal.as_ref(),
            approved: approved.and_then(|steps| steps.get(&resource.id)),
            stop: &self.options.stop,
            abort: &self.options.abort,
            progress: Some(progress),
        }
    }
}
