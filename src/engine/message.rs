//! What a face asks of a run, and what the run tells: plain data that can cross a process border.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::graph::{Resource, ResourceId};
use crate::plan::{Change, Step};

/// What a face asks of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Exactly one turn.
    Step,
    /// Turns until a breakpoint, a failure, `until`, or the end.
    Continue { until: Option<ResourceId> },
    /// Turns as long as the next resource was declared in this container, outermost first; a breakpoint, a failure and the
    /// end come first. In none is everything.
    Over { around: Vec<Arc<str>> },
    /// Turns until the end, past every failure; also past breakpoints.
    Finish,
    /// Leaves the next resource out; its dependents become blocked.
    Skip,
    /// Looks again at the resource that failed or was skipped, and makes it next.
    Retry { resource: ResourceId },
    /// Wants another state of a resource that failed, as somebody agreed to, and makes it next as `Retry` does. `graph` is the
    /// hash of what the program says with it.
    Amend { resource: Box<Resource>, graph: String },
    /// Makes a ready resource the next one.
    Pick { resource: ResourceId },
    /// Takes the last turn back (dry runs: exactly).
    Back,
    /// Sets or clears a breakpoint.
    Break { resource: ResourceId, on: bool },
    /// Leaves a resource out when its turn comes, as `Skip` does; or takes that back.
    LeaveOut { resource: ResourceId, on: bool },
    /// Stops a `Continue` or `Finish` after the turns at work.
    Stop,
    /// Ends the run.
    Quit,
}

/// Where a resource stands in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TurnState {
    Waiting,
    Running,
    Done,
    Failed {
        error: String,
        /// It was done, and did not last: somebody else is at it too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_undone: bool,
    },
    Skipped,
    /// Something it needs failed, was skipped or is blocked itself.
    Blocked {
        by: ResourceId,
    },
}

/// What a run tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A resource's state moved; `step` tells what its turn did or would do.
    Turn { resource: ResourceId, state: TurnState, step: Option<Step>, elapsed_ms: u64 },
    /// The run waits. `ready` are the resources that could be next, `next` first and the others by their order: not all of them
    /// where there are [`READY_TOLD`], since telling thousands after each turn costs more than the turn.
    Paused { next: Option<ResourceId>, ready: Vec<ResourceId>, why: Pause },
    /// Another state of a resource is wanted from here on than the run began with: what differs, and the hash of what the program
    /// says with it.
    Amended { resource: Box<Resource>, changes: Vec<Change>, graph: String },
    /// A line that a resource printed or that a command wrote.
    Output { resource: ResourceId, line: String },
    /// An undo came to one of a deploy's deeds.
    TakenBack {
        resource: ResourceId,
        /// The deploy, and the deed's number in it.
        undoes: (u64, u64),
        /// What the deed had done.
        words: String,
        outcome: UndoOutcome,
    },
    /// Everything is done, failed, skipped or blocked.
    Finished { done: u32, changed: u32, failed: u32, skipped: u32, blocked: u32 },
}

/// How one step of an undo ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoOutcome {
    Back,
    Already,
    /// Left as somebody else made it.
    Kept,
    /// A folder was left, and what it holds.
    Stayed(String),
    Lost(String),
    Failed(String),
}

/// How many resources that could be next are told at once.
pub const READY_TOLD: usize = 256;

/// Why a run waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Pause {
    Start,
    Stepped,
    Breakpoint,
    Cursor,
    Failure,
    Stopped,
    SteppedBack,
    End,
}
