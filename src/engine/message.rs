//! The messages between a face and a run: plain data that can cross a process border.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::graph::{Resource, ResourceId};
use crate::plan::{Change, Step};

/// A request of a face.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Runs exactly one turn.
    Step,
    /// Runs turns until a breakpoint, a failure, `until`, or the end.
    Continue { until: Option<ResourceId> },
    /// Runs turns while the next resource is declared in this container (outermost first), until a breakpoint, a
    /// failure or the end. An empty list contains everything.
    Over { around: Vec<Arc<str>> },
    /// Runs turns until the end, past failures and breakpoints.
    Finish,
    /// Skips the next resource. Its dependents become blocked.
    Skip,
    /// Checks a failed or skipped resource again and makes it next.
    Retry { resource: ResourceId },
    /// Replaces the parameters of a failed resource, after approval, and makes it next as `Retry` does. `graph` is the
    /// hash of the program with the new parameters.
    Amend { resource: Box<Resource>, graph: String },
    /// Makes a ready resource the next one.
    Pick { resource: ResourceId },
    /// Undoes the last turn (dry runs: exactly).
    Back,
    /// Sets or clears a breakpoint.
    Break { resource: ResourceId, on: bool },
    /// Marks a resource to be skipped, like `Skip`, or clears the mark.
    LeaveOut { resource: ResourceId, on: bool },
    /// Stops a `Continue` or `Finish` after the current turns.
    Stop,
    /// Ends the run.
    Quit,
}

/// The state of a resource in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TurnState {
    Waiting,
    Running,
    Done,
    Failed {
        error: String,
        /// The change was made but did not last: another program changed it too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_undone: bool,
    },
    Skipped,
    /// A dependency failed, was skipped or is blocked itself.
    Blocked {
        by: ResourceId,
    },
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "nearly all events are turns")]
pub enum Event {
    /// A resource's state changed. `step` is what its turn did or would do.
    Turn { resource: ResourceId, state: TurnState, step: Option<Step>, elapsed_ms: u64 },
    /// The run waits. `ready` are the resources that could be next, `next` first and the others in order, at most
    /// [`READY_SHOWN`]: reporting thousands after each turn would cost more than the turn.
    Paused { next: Option<ResourceId>, ready: Vec<ResourceId>, why: Pause },
    /// The parameters of a resource changed during the run, with the differences and the hash of the program with the
    /// new parameters.
    Amended { resource: Box<Resource>, changes: Vec<Change>, graph: String },
    /// A line that a resource printed or that a command wrote.
    Output { resource: ResourceId, line: String },
    /// An undo finished an operation of a deploy.
    TakenBack {
        resource: ResourceId,
        /// The deploy, and the number of the operation in it.
        undoes: (u64, u64),
        /// Describes the operation.
        words: String,
        outcome: UndoOutcome,
    },
    /// Every resource is done, failed, skipped or blocked.
    Finished { done: u32, changed: u32, failed: u32, skipped: u32, blocked: u32 },
}

/// The result of one step of an undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoOutcome {
    Back,
    Already,
    /// Kept as another program changed it.
    Kept,
    /// A folder was kept, with a description of its contents.
    Stayed(String),
    Lost(String),
    Failed(String),
}

/// The largest number of ready resources in an event.
pub const READY_SHOWN: usize = 256;

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
