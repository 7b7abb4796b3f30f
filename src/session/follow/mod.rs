//! Follows a program: keeps it evaluated on another thread, processes events, and reports differences.
//!
//! The caller provides the events: from a [`Watcher`](crate::world::Watcher) on this machine, a record, or a user who
//! steps. Nothing happens between events, so sending none is a pause.

pub mod live;
pub mod moment;
pub(super) mod drift;
pub(super) mod watch;

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use crate::diag::{Diagnostics, LogEntry, Stage};
use crate::graph::Graph;
use crate::graph::delta::delta;
use crate::lang::{Following, Outcome};
use crate::session::{Report, Session, Upkeep, job, panicked};
use crate::source::Sources;
use crate::world::{Cancel, Fenced, ReadError, Replayed, World};

pub use crate::graph::delta::Fate;
pub use crate::lang::{Answer, Change, Event, ResourceChange, Trigger};
pub use crate::world::{Read, Sample, Watcher, WorldChanges, brief, parse_sample, text_of};

/// The effect of an event on a program.
#[derive(Debug)]
pub struct ProgramUpdate {
    pub changes: Vec<Change>,
    /// Changes of earlier events with errors. The graph includes them only now.
    pub earlier: Vec<Change>,
    pub resources: Vec<ResourceChange>,
    pub edges: bool,
    /// The new graph; `None` if the last one still holds.
    pub graph: Option<Arc<Graph>>,
    /// The diagnostics. If they have errors, the last graph still holds.
    pub report: Report,
    /// The program's output during the evaluation.
    pub log: Vec<LogEntry>,
    /// The program's present inputs, with the values that it uses.
    pub inputs: Vec<(Read, Answer)>,
    /// The source files of the program.
    pub program: Vec<(Read, Answer)>,
    /// The time of the next event without changes, in milliseconds since 1970.
    pub wake: Option<u64>,
    /// The number of statements that ran.
    pub ran: usize,
}

enum Ask {
    Event(Event),
    /// The program's files changed.
    Reload(u64),
}

/// The sending end of a followed program. Dropping it ends the following.
pub struct Follower {
    asks: Sender<Ask>,
    updates: Receiver<ProgramUpdate>,
}

impl Follower {
    /// Waits for the initial state of the program.
    pub fn first(&self) -> Result<ProgramUpdate, RecvError> {
        self.updates.recv()
    }

    /// Processes an event.
    pub fn event(&self, event: Event) -> Result<ProgramUpdate, RecvError> {
        self.ask(Ask::Event(event))
    }

    /// Compiles the program again.
    pub fn reload(&self, now: u64) -> Result<ProgramUpdate, RecvError> {
        self.ask(Ask::Reload(now))
    }

    fn ask(&self, ask: Ask) -> Result<ProgramUpdate, RecvError> {
        // The thread ends only with this value, or by a panic that it reports.
        let _ = self.asks.send(ask);
        self.updates.recv()
    }
}

/// Records the inputs of a program, for compiling it.
struct Noted<'w> {
    world: &'w dyn World,
    reads: Mutex<Vec<(Read, Answer)>>,
}

impl World for Noted<'_> {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        let answer = self.world.read(what);
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).push((what.clone(), answer.clone()));
        answer
    }
}

impl Session {
    /// Returns the same session for another thread.
    pub(in crate::session) fn again(&self) -> Session {
        let node = self.node.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Session {
            given: None,
            entry: self.entry.clone(),
            options: self.options.clone(),
            world: Arc::clone(&self.world),
            node: Mutex::new(node),
            facts: Mutex::new(self.facts.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            guards_held_by: Vec::new(),
            brought: Mutex::default(),
            seal: OnceLock::new(),
        }
    }

    /// Compiles the entry and follows it from a point in time. With `replay`, events also provide the values of new
    /// inputs. This machine provides inputs that no event contains.
    pub fn follow(&self, now: u64, replay: Option<&Event>, cancel: &Cancel) -> Follower {
        let (asks, asked) = channel();
        let (sender, updates) = channel();
        let fence = Arc::new(self.fence(Arc::clone(&self.world), Arc::clone(&self.world)));
        let mut work = Work {
            session: self.again(),
            cancel: cancel.clone(),
            replayed: replay.is_some(),
            world: Arc::new(Replayed::new(Arc::clone(&fence))),
            fence,
            graph: Arc::default(),
            sender,
        };
        work.world.set(replay.into_iter().flat_map(|event| event.changes.clone()));
        std::thread::spawn(move || {
            let following = &mut work;
            if let Err(bug) = job::run(move || following.follow_versions(&asked, now)) {
                let report = Report { sources: Sources::default(), diagnostics: panicked(&bug, Stage::Eval) };
                let _ = work.sender.send(ProgramUpdate::refused(report, Vec::new()));
            }
        });
        Follower { asks, updates }
    }

    /// Watches the inputs of a program on this machine, its files, and the inputs of its resources.
    pub fn watch(&self, watcher: &mut Watcher, updates: &ProgramUpdate, upkeep: &mut Upkeep) {
        let reads = updates.inputs.iter().chain(&updates.program).cloned();
        watcher.watch_with_trees(&*self.world, reads, upkeep.paths(), upkeep.trees());
        upkeep.blind(&watcher.blind(), Instant::now());
    }

    /// Waits until a watched input changes; see [`Watcher::wait`].
    pub fn wait(&self, watcher: &mut Watcher, until: Option<Instant>, is_running: &dyn Fn() -> bool) -> WorldChanges {
        watcher.wait(&*self.world, until, is_running)
    }

    /// The current time, in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        Watcher::now()
    }
}

/// The work of a followed program, on its thread.
struct Work {
    session: Session,
    cancel: Cancel,
    replayed: bool,
    fence: Arc<Fenced>,
    world: Arc<Replayed<Arc<Fenced>>>,
    /// The last reported graph.
    graph: Arc<Graph>,
    sender: Sender<ProgramUpdate>,
}

impl Work {
    /// Compiles, and compiles again whenever the program's files change.
    fn follow_versions(&mut self, asked: &Receiver<Ask>, mut now: u64) {
        while let ControlFlow::Continue(again) = self.follow(asked, now) {
            now = again;
        }
    }

    /// Follows one version of the program's files. Returns the time of the next version.
    fn follow(&mut self, asked: &Receiver<Ask>, now: u64) -> ControlFlow<(), u64> {
        let session = self.session.again();
        let fence = Arc::clone(&self.fence);
        fence.open();
        let noted = Noted { world: &*fence, reads: Mutex::default() };
        let reads = || noted.reads.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let unfinished = session.prepare(&noted, Stage::Eval, &self.cancel).and_then(|options| {
            fence.enclose(session.own_places(&options), session.has_fetched(&options));
            let world = Arc::clone(&self.world);
            let mut flow = ControlFlow::Break(());
            let mut work = |program: &mut dyn Following, first: Outcome| {
                flow = self.serve(program, first, &reads(), asked);
            };
            session
                .options
                .workplace
                .follow(&noted, &*world, &session.entry, &options, now, &mut work)
                .map_err(|compiled| Report { sources: compiled.sources, diagnostics: compiled.diagnostics })?;
            Ok(flow)
        });
        match unfinished {
            Ok(flow) => flow,
            Err(report) => self.wait_for_another(report, &reads(), asked),
        }
    }

    /// Processes events until the program's files change.
    fn serve(
        &mut self,
        following: &mut dyn Following,
        first: Outcome,
        program: &[(Read, Answer)],
        asked: &Receiver<Ask>,
    ) -> ControlFlow<(), u64> {
        let mut outcome = first;
        let mut is_first = true;
        loop {
            let updates = self.updates(following, outcome, program, std::mem::take(&mut is_first));
            if self.sender.send(updates).is_err() {
                return ControlFlow::Break(());
            }
            outcome = match asked.recv() {
                Err(_) => return ControlFlow::Break(()),
                Ok(Ask::Reload(now)) => return ControlFlow::Continue(now),
                Ok(Ask::Event(event)) if following.has_ended() => {
                    self.world.set(event.changes);
                    return ControlFlow::Continue(event.at);
                }
                Ok(Ask::Event(event)) => {
                    // This machine has no values of resources. Only events provide them.
                    let is_expected = |read: &Read| self.replayed || matches!(read, Read::Held(_));
                    self.world.set(event.changes.iter().filter(|(read, _)| is_expected(read)).cloned());
                    let outcome = following.event(&event);
                    if following.has_ended() && !outcome.diagnostics.has_errors() {
                        return ControlFlow::Continue(event.at);
                    }
                    outcome
                }
            };
        }
    }

    fn updates(
        &mut self,
        following: &dyn Following,
        outcome: Outcome,
        program: &[(Read, Answer)],
        is_first: bool,
    ) -> ProgramUpdate {
        let is_new = outcome.is_new();
        let Outcome { changes, earlier, mut resources, mut edges, diagnostics, log, ran } = outcome;
        let mut graph = None;
        if (is_new || is_first) && !diagnostics.has_errors() {
            let new = Arc::new(following.graph().clone());
            if is_first {
                // The graph differences that come from the changed files.
                let delta = delta(&self.graph, &new);
                let differing = delta.resources.into_iter();
                resources =
                    differing.map(|(resource, fate)| ResourceChange { resource, fate, because: Vec::new() }).collect();
                edges = delta.edges;
            }
            self.graph = Arc::clone(&new);
            graph = Some(new);
        }
        let mut report = Report { sources: following.sources().clone(), diagnostics };
        report.fence(&self.fence);
        let (inputs, wake) = (following.inputs(), following.next_wake());
        ProgramUpdate {
            changes,
            earlier,
            resources,
            edges,
            graph,
            report,
            log,
            inputs,
            program: program.to_vec(),
            wake,
            ran,
        }
    }

    /// Waits for another version of the program. Without a valid program, events have no effect.
    fn wait_for_another(
        &mut self,
        report: Report,
        program: &[(Read, Answer)],
        asked: &Receiver<Ask>,
    ) -> ControlFlow<(), u64> {
        let mut updates = ProgramUpdate::refused(report, program.to_vec());
        loop {
            if self.sender.send(updates).is_err() {
                return ControlFlow::Break(());
            }
            match asked.recv() {
                Err(_) => return ControlFlow::Break(()),
                Ok(Ask::Reload(now)) => return ControlFlow::Continue(now),
                Ok(Ask::Event(_)) => {
                    let report = Report { sources: Sources::default(), diagnostics: Diagnostics::new(Stage::Eval) };
                    updates = ProgramUpdate::refused(report, program.to_vec());
                }
            }
        }
    }
}

impl ProgramUpdate {
    /// A result with only errors.
    fn refused(report: Report, program: Vec<(Read, Answer)>) -> Self {
        let (changes, earlier, resources, log, inputs) = Default::default();
        ProgramUpdate {
            changes,
            earlier,
            resources,
            edges: false,
            graph: None,
            report,
            log,
            inputs,
            program,
            wake: None,
            ran: 0,
        }
    }
}
