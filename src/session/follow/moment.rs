//! The moments of a followed program: each event with its effects, and the graph after it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use crate::diag::{Diagnostics, LogEntry, Stage};
use crate::graph::Graph;
use crate::session::follow::{Answer, Change, Event, Follower, ProgramUpdate, Read, ResourceChange};
use crate::session::{Cancel, Session};
use crate::source::Sources;

/// A program after an event. Graphs share their common parts, so thousands of moments can be stored.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Counts from 0, the initial state.
    pub number: usize,
    /// In milliseconds since 1970.
    pub at: u64,
    pub what: What,
    /// The inputs that differ from the previous moment.
    pub changes: Vec<Change>,
    /// The changed inputs of earlier moments with errors. The graph includes them only now.
    pub earlier: Vec<Change>,
    /// The new inputs of the program, with their values.
    pub fresh: Vec<(Read, Answer)>,
    /// The differences in the graph.
    pub resources: Vec<ResourceChange>,
    /// Whether the order between resources differs.
    pub edges: bool,
    /// The prepared graph from now on; after an error, the last valid one.
    pub graph: Arc<Graph>,
    pub sources: Arc<Sources>,
    pub diagnostics: Diagnostics,
    /// The program's output.
    pub log: Vec<LogEntry>,
    /// The number of statements that ran.
    pub ran: usize,
}

impl Moment {
    /// Whether the event changed nothing in the graph and caused no new output.
    pub fn is_still(&self) -> bool {
        self.resources.is_empty() && !self.edges && self.diagnostics.is_empty() && self.what == What::Inputs
    }
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The initial state.
    Start,
    /// Inputs changed, or time has passed.
    Inputs,
    /// The program's own files changed.
    Program,
}

/// An event that is not processed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub event: Event,
    pub what: What,
}

/// Processes events one by one, and returns the program's state after each.
pub struct Taker {
    session: Session,
    follower: Follower,
    update: ProgramUpdate,
    known: BTreeSet<Read>,
    graph: Arc<Graph>,
    sources: Arc<Sources>,
    /// The errors of a program that cannot be evaluated, until its files change.
    refused: Option<Diagnostics>,
    number: usize,
}

impl Taker {
    /// Follows a session's program from a point in time, or from the first event of a record. Also returns its initial
    /// state. `None` after a panic.
    pub fn start(session: &Session, now: u64, record: Option<&Event>, cancel: &Cancel) -> Option<(Self, Moment)> {
        let follower = session.follow(now, record, cancel);
        let update = follower.first().ok()?;
        let (graph, sources) = (Arc::default(), Arc::new(update.report.sources.clone()));
        let (session, known) = (session.again(), BTreeSet::new());
        let mut taker = Self { session, follower, update, known, graph, sources, refused: None, number: 0 };
        let moment = taker.moment(now, What::Start);
        Some((taker, moment))
    }

    /// Processes an event. `None` after a panic or a cancellation.
    pub fn take(&mut self, pending: Pending) -> Option<Moment> {
        let Pending { event, what } = pending;
        let at = event.at;
        let update = match what {
            What::Start | What::Inputs => self.follower.event(event),
            What::Program => self.follower.reload(at),
        }
        .ok()?;
        let before = std::mem::replace(&mut self.update, update).inputs;
        self.number += 1;
        if what == What::Program {
            self.known.clear();
        }
        let moment = self.moment(at, what);
        if self.refused.is_some() {
            // The inputs of a broken program stay watched.
            self.update.inputs = before;
        }
        Some(moment)
    }

    fn moment(&mut self, at: u64, what: What) -> Moment {
        let update = &mut self.update;
        if what != What::Inputs {
            let is_refused = update.inputs.is_empty() && update.report.diagnostics.has_errors();
            self.refused = is_refused.then(|| update.report.diagnostics.clone());
        } else if let Some(refused) = &self.refused {
            update.report.diagnostics = refused.clone();
        }
        if let Some(graph) = &update.graph {
            self.graph = Arc::new(self.session.ready(Graph::clone(graph)));
        }
        if what == What::Program {
            self.sources = Arc::new(update.report.sources.clone());
        }
        let fresh = update.inputs.iter().filter(|(read, _)| !self.known.contains(read)).cloned().collect::<Vec<_>>();
        self.known.extend(fresh.iter().map(|(read, _)| read.clone()));
        Moment {
            number: self.number,
            at,
            what,
            changes: std::mem::take(&mut update.changes),
            earlier: std::mem::take(&mut update.earlier),
            fresh,
            // At the start every resource would be new.
            resources: std::mem::take(&mut update.resources).into_iter().filter(|_| what != What::Start).collect(),
            edges: update.edges,
            graph: Arc::clone(&self.graph),
            sources: Arc::clone(&self.sources),
            diagnostics: std::mem::replace(&mut update.report.diagnostics, Diagnostics::new(Stage::Eval)),
            log: std::mem::take(&mut update.log),
            ran: update.ran,
        }
    }

    /// Returns the program's inputs, with the values that it uses.
    pub fn inputs(&self) -> &[(Read, Answer)] {
        &self.update.inputs
    }

    /// Returns the source files of the program.
    pub fn program(&self) -> &[(Read, Answer)] {
        &self.update.program
    }

    /// Returns the time of the next event without changes.
    pub fn wake(&self) -> Option<u64> {
        self.update.wake
    }
}

/// The version of the record format. The first line of a record contains it, and later versions are rejected.
pub const RECORD_VERSION: u32 = 1;

/// The first line of a record with its version. The oldest records have none.
#[derive(Deserialize)]
struct Versioned {
    #[serde(default)]
    version: u32,
}

/// Reads the events of a record. The first line holds the initial inputs.
#[allow(clippy::disallowed_methods, reason = "a record is the user's own file, like what a shell reads from")]
pub fn read_record(path: &Path) -> Result<Vec<Event>, String> {
    let name = path.display();
    let file = File::open(path).map_err(|error| format!("{name}: {error}"))?;
    let mut events = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| format!("{name}: {error}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let update = |error: serde_json::Error| format!("{name}, line {}: {error}", number + 1);
        if events.is_empty() {
            let Versioned { version } = serde_json::from_str(&line).map_err(update)?;
            if version > RECORD_VERSION {
                return Err(format!(
                    "{name}: record format {version} is newer than this version supports ({RECORD_VERSION})"
                ));
            }
        }
        events.push(serde_json::from_str(&line).map_err(update)?);
    }
    Ok(events)
}
