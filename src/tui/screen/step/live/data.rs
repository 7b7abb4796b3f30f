//! The data of an apply on this machine, and the reports about it.

use crate::engine::message::Event;
use crate::graph::ResourceId;
use crate::plan::CompiledFor;
use crate::session::history::UndoStep;
use crate::session::{ApplierStatus, Holder, Stranger};
use crate::tui::screen::step::data::Conflict;
use std::collections::BTreeMap;

/// What is known of live runs, whatever is shown.
#[derive(Debug, Default)]
pub struct State {
    /// An interrupted, unresolved deploy.
    pub cut: Option<Cut>,
    /// A detached applier.
    pub detached: Option<ApplierStatus>,
    /// One of these was just reported, and will be offered on any screen.
    pub is_unread: bool,
    /// The steps of the shown plan that need root.
    pub(super) needs_root: Vec<ResourceId>,
    /// The fetched modules in the shown plan that were not approved when it was made.
    pub(super) strangers: Vec<Stranger>,
    /// There is no valid deploy of this entry.
    pub is_first: bool,
    /// Counts undo questions: the answer to an earlier one is ignored.
    pub ask: u64,
    /// The applied resources of this session, which can be undone while other rows are shown.
    pub put: Option<AppliedRun>,
}

/// The finished steps of earlier deploys, each with its deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier(pub(super) BTreeMap<ResourceId, u64>);

/// An interrupted deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    pub deploy: u64,
    pub time: String,
    /// The path of its entry.
    pub entry: String,
    /// The hash of its graph.
    pub graph: String,
    /// How what it was compiled for differs from this session's program, in sentences.
    pub differs: Vec<String>,
    /// What it was compiled for, if a resume compiles for that first.
    pub adopts: Option<Box<CompiledFor>>,
    /// The deploy that it was undoing.
    pub undoes: Option<u64>,
    /// Each operation with its result.
    pub operations: Vec<String>,
    /// The interrupted commands, with unknown effects.
    pub commands: Vec<String>,
    /// The resources whose commands succeeded.
    pub ran: Vec<ResourceId>,
    /// It belongs to another entry, and cannot be resumed here.
    pub is_other: bool,
    /// It is in root's history, and is resumed through `sudo`.
    pub as_root: bool,
}

/// Why a live run did not start. Nothing was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    Held(Holder),
    Unfinished(Box<Cut>),
    /// `sudo` wants a password.
    Password,
    /// A detached applier waits.
    Parked(Box<ApplierStatus>),
    /// Someone else made a change.
    Conflict(Box<Conflict>),
    /// By the user.
    GivenUp,
    Other(Vec<String>),
}

/// The applier's notices other than events of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// It started, with its first event: between two messages, keys would meet a run that does not wait yet.
    Begun { run: u64, deploy: u64, first: Option<Event> },
    /// It did not start, and why.
    Refused { run: u64, why: Refusal },
    /// The edit cannot be used in the deploy, and why.
    NotAmended { run: u64, resource: ResourceId, why: String },
    /// A deploy is interrupted.
    CutOff(Cut),
    /// Nothing is interrupted or detached in our history, or in root's.
    Resolved { as_root: bool },
    /// It could not be checked, and why.
    NotKnown { as_root: bool, why: String },
    /// The steps of the next plan that need root.
    NeedsRoot(Vec<ResourceId>),
    /// The fetched modules of that plan without approval.
    Strangers(Vec<Stranger>),
    /// Whether there may be a valid earlier deploy of this entry.
    Applied(bool),
    /// The answer of `sudo`, or why it refused.
    MayBeRoot { run: u64, result: Result<(), String> },
    /// Nothing was undone: the user cancelled.
    UndoCancelled,
    /// Nothing was undone: `sudo` wants a password.
    UndoNeedsPassword { deploy: u64 },
    /// Nothing was undone: someone else made a change.
    Conflict(Box<Conflict>),
    /// Nothing was undone, and why.
    NotUndone { deploy: u64, why: Vec<String> },
    /// What an undo would do now, newest operation first; includes the deploy that it resumed. `ask`: the question that
    /// this answers.
    UndoPlanned { ask: u64, deploy: u64, steps: Result<Vec<UndoStep>, String> },
    /// The checks are done: an undo is running, with its progress.
    Undoing { run: u64, done: usize, of: usize },
    /// `Ok`: what was undone. `Err`: what was not, and why.
    Undone { deploy: u64, result: Result<Vec<String>, Vec<String>> },
}

/// A live run that applied everything; other rows may be shown since.
#[derive(Clone, Copy, Debug)]
pub struct AppliedRun {
    pub deploy: u64,
    pub(super) as_root: bool,
}
