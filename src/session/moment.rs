//! The moments of a followed program: each event with what it did, and the graph as it stood then.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::follow::{Answer, Change, Event, Follower, Read, Reemitted, Told};
use super::{Cancel, Session};
use crate::diag::{Diagnostics, LogEntry, Stage};
use crate::graph::Graph;
use crate::source::Sources;

/// A program after an event. Graphs share what they have in common, so thousands of moments can be kept.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Counts from 0, which is the program as it was first seen.
    pub number: usize,
    /// In milliseconds since 1970.
    pub at: u64,
    pub what: What,
    /// The inputs that differ from the moment before.
    pub changes: Vec<Change>,
    /// Those that differ by moments before, which had errors: the graph hears of them with this one.
    pub earlier: Vec<Change>,
    /// What the program reads from now on and did not read before, with what it gave.
    pub fresh: Vec<(Read, Answer)>,
    /// What differs in the graph.
    pub resources: Vec<Reemitted>,
    /// Whether the order between resources differs.
    pub edges: bool,
    /// The graph from now on, ready for this machine; where something is wrong, the last one without errors.
    pub graph: Arc<Graph>,
    pub sources: Arc<Sources>,
    pub diagnostics: Diagnostics,
    /// What the program printed.
    pub log: Vec<LogEntry>,
    /// How many statements ran.
    pub ran: usize,
}

impl Moment {
    /// Whether the event made no difference to the graph, and said nothing new.
    pub fn is_still(&self) -> bool {
        self.resources.is_empty() && !self.edges && self.diagnostics.is_empty() && self.what == What::Inputs
    }
}

/// What kind of event there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// None yet.
    Start,
    /// Inputs differ, or time has passed.
    Inputs,
    /// The program's own files differ.
    Program,
}

/// An event that was seen and is not taken in yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub event: Event,
    pub what: What,
}

/// Takes events in, one by one, and says how the program stands after each.
pub struct Taker {
    session: Session,
    follower: Follower,
    told: Told,
    known: BTreeSet<Read>,
    graph: Arc<Graph>,
    sources: Arc<Sources>,
    /// What is wrong with a program that is not evaluated at all; it stays so until its files differ.
    refused: Option<Diagnostics>,
    number: usize,
}

impl Taker {
    /// Follows a session's program from a point in time on, or from the first event of a record; gives it as it stands.
    /// Nothing where a bug ended it.
    pub fn start(session: &Session, now: u64, record: Option<&Event>, cancel: &Cancel) -> Option<(Self, Moment)> {
        let follower = session.follow(now, record, cancel);
        let told = follower.first().ok()?;
        let (graph, sources) = (Arc::default(), Arc::new(told.report.sources.clone()));
        let (session, known) = (session.again(), BTreeSet::new());
        let mut taker = Self { session, follower, told, known, graph, sources, refused: None, number: 0 };
        let moment = taker.moment(now, What::Start);
        Some((taker, moment))
    }

    /// Takes an event in. Nothing where a bug ended it, or somebody cancelled.
    pub fn take(&mut self, pending: Pending) -> Option<Moment> {
        let Pending { event, what } = pending;
        let at = event.at;
        let told = match what {
            What::Start | What::Inputs => self.follower.event(event),
            What::Program => self.follower.reload(at),
        }
        .ok()?;
        let before = std::mem::replace(&mut self.told, told).inputs;
        self.number += 1;
        if what == What::Program {
            self.known.clear();
        }
        let moment = self.moment(at, what);
        if self.refused.is_some() {
            // A program that is broken for now is still watched, as it was before.
            self.told.inputs = before;
        }
        Some(moment)
    }

    fn moment(&mut self, at: u64, what: What) -> Moment {
        let told = &mut self.told;
        if what != What::Inputs {
            let is_refused = told.inputs.is_empty() && told.report.diagnostics.has_errors();
            self.refused = is_refused.then(|| told.report.diagnostics.clone());
        } else if let Some(refused) = &self.refused {
            told.report.diagnostics = refused.clone();
        }
        if let Some(graph) = &told.graph {
            self.graph = Arc::new(self.session.ready(Graph::clone(graph)));
        }
        if what == What::Program {
            self.sources = Arc::new(told.report.sources.clone());
        }
        let fresh = told.inputs.iter().filter(|(read, _)| !self.known.contains(read)).cloned().collect::<Vec<_>>();
        self.known.extend(fresh.iter().map(|(read, _)| read.clone()));
        Moment {
            number: self.number,
            at,
            what,
            changes: std::mem::take(&mut told.changes),
            earlier: std::mem::take(&mut told.earlier),
            fresh,
            // At first all of them would be new.
            resources: std::mem::take(&mut told.resources).into_iter().filter(|_| what != What::Start).collect(),
            edges: told.edges,
            graph: Arc::clone(&self.graph),
            sources: Arc::clone(&self.sources),
            diagnostics: std::mem::replace(&mut told.report.diagnostics, Diagnostics::new(Stage::Eval)),
            log: std::mem::take(&mut told.log),
            ran: told.ran,
        }
    }

    /// What the program reads, with the samples that it goes by.
    pub fn inputs(&self) -> &[(Read, Answer)] {
        &self.told.inputs
    }

    /// The files that the program itself is read from.
    pub fn program(&self) -> &[(Read, Answer)] {
        &self.told.program
    }

    /// When an event without changes is due.
    pub fn wake(&self) -> Option<u64> {
        self.told.wake
    }
}

/// The version of the form of records: whoever writes one says it in the first line, and no later one is read.
pub const RECORD_VERSION: u32 = 1;

/// The first line of a record says which form it has; the oldest ones do not.
#[derive(Deserialize)]
struct Versioned {
    #[serde(default)]
    version: u32,
}

/// The events of a record; its first line is what was read at the start.
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
        let told = |error: serde_json::Error| format!("{name}, line {}: {error}", number + 1);
        if events.is_empty() {
            let Versioned { version } = serde_json::from_str(&line).map_err(told)?;
            if version > RECORD_VERSION {
                return Err(format!(
                    "{name}: record format {version} is newer than this version supports ({RECORD_VERSION})"
                ));
            }
        }
        events.push(serde_json::from_str(&line).map_err(told)?);
    }
    Ok(events)
}
