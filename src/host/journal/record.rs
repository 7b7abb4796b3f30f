//! The records of a journal: the begin of a deploy, each operation with its result, each resource's outcome, the end.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::image::Image;
use super::operation::LoggedOperation;
use super::text;
use crate::graph::ResourceId;
use crate::host::HostError;
use crate::plan::{CompiledFor, SetValues};

/// One record of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    Begin(Begin),
    /// An operation that is about to run. It is durable before the operation begins; its number identifies the operation.
    Intent(Intent),
    /// The operation succeeded. `after` is the image found then.
    Done {
        intent: u64,
        after: Image,
    },
    /// The operation failed. Its partial result was removed where possible.
    Failed {
        intent: u64,
        error: String,
        /// The image found after the failure, if it differs from the one before. Nothing is known of a command's
        /// result, so it counts as absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<Image>,
        /// The path could not be read after the failure.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_unseen: bool,
    },
    /// The operation was recorded and did not begin: an earlier one failed, or the run was stopped.
    NotBegun {
        intent: u64,
    },
    /// How a resource's turn ended.
    Outcome(Outcome),
    /// The desired state of a resource was edited during the deploy.
    Amended(Amended),
    /// The progress that recovery found of an interrupted operation; or a success whose path could not be read.
    #[serde(rename = "settled")]
    Resolved {
        intent: u64,
        found: Completion,
    },
    End(End),
}

/// The begin of a deploy: who, when, and from what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    pub deploy: u64,
    /// A part of the names of this deploy's temporary files, to find leftovers.
    pub tag: String,
    /// Date and time as text, UTC. Never used for order.
    pub time: String,
    pub user: String,
    /// The user who called `sudo`, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
    pub program: String,
    /// The absolute path of the entry; relative to `folder` in journals of earlier versions.
    pub entry: String,
    #[serde(with = "text::path")]
    pub folder: PathBuf,
    pub language: String,
    pub modules: Vec<Module>,
    /// The hash of the graph, secrets left out.
    pub graph: String,
    /// The hash of the approved plan, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The purpose of the compilation; `None` for an undo, and in journals of earlier versions.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub compiled_for: Option<Box<CompiledFor>>,
    /// For a resume. No face shows them.
    #[serde(default, skip_serializing_if = "SetValues::is_empty")]
    pub set_values: SetValues,
    /// The other host whose program was applied here, with `--as-this-host`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_host: Option<String>,
    pub purpose: Purpose,
    /// The hash of the last entry of the journal before this one.
    pub previous: String,
}

impl Begin {
    /// What the graph was compiled for, completed by the values that are not shown.
    pub fn made_for(&self) -> Option<CompiledFor> {
        Some(self.set_values.put_into(self.compiled_for.as_deref()?.clone()))
    }

    /// The same as faces may show it.
    #[must_use]
    pub fn shown(&self) -> Self {
        Self { set_values: SetValues::default(), ..self.clone() }
    }
}

/// A module that the graph came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Edited since that commit.
    #[serde(default)]
    pub edited: bool,
}

/// The kind of a deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Purpose {
    #[default]
    Apply,
    /// Resumes an interrupted deploy.
    Resume { deploy: u64 },
    /// Undoes a deploy.
    Undo { deploy: u64 },
}

/// An operation that is about to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    pub resource: ResourceId,
    #[serde(flatten)]
    pub operation: LoggedOperation,
    pub before: Image,
    /// For the undo of an operation: its deploy and its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<(u64, u64)>,
}

impl Record {
    /// The record of a success, with the image found then if it could be read.
    pub(super) fn done(intent: u64, now: Result<Image, HostError>) -> Record {
        match now {
            Ok(after) => Record::Done { intent, after },
            Err(_) => Record::Resolved { intent, found: Completion::After },
        }
    }

    /// The record of a failure, compared with the image before it.
    pub(super) fn failed(intent: u64, error: String, before: &Image, now: Result<Image, HostError>) -> Record {
        let is_unseen = now.is_err();
        let left = now.ok().filter(|now| !before.is(now));
        Record::Failed { intent, error, left, is_unseen }
    }
}

impl LoggedOperation {
    /// The image after a failed operation that has no path: absent, because nothing is known of it. `None` if the
    /// operation did not begin.
    pub(super) fn left_unknown(&self, error: &HostError) -> Option<Image> {
        let is_begun = match self {
            LoggedOperation::Command { .. } => !matches!(error, HostError::Spawn { .. }),
            // A refused operation changed nothing; an interrupted one may have.
            _ => error.is_cut_short(),
        };
        is_begun.then_some(Image::Absent)
    }
}

/// How a resource's turn ended; changes as the plan's JSON has them, secrets hidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub resource: ResourceId,
    /// `done`, `failed`, `skipped` or `blocked`.
    pub state: String,
    pub action: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<serde_json::Value>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default)]
    pub elapsed_ms: u64,
    /// When the turn ended, UTC; empty in journals of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time: String,
    /// The approved plan's prediction, if the turn did not run or was less certain. `None` without a plan, and in
    /// journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Prediction>,
}

/// A resource whose desired state was edited during a deploy, after it failed. Changes have the form of the plan's
/// JSON, with secrets hidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Amended {
    pub resource: ResourceId,
    pub changes: Vec<serde_json::Value>,
    pub time: String,
    /// The hash of the graph from here on, secrets left out.
    pub graph: String,
    /// The number of outcomes before this record in the journal.
    #[serde(skip)]
    pub at: usize,
}

/// The prediction of a plan, in the words of its JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prediction {
    pub action: String,
    pub certainty: String,
}

/// How far an interrupted operation got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completion {
    /// It did not begin.
    Before,
    /// It was complete.
    After,
    /// The image is neither: another program changed it.
    Neither,
    /// It leaves nothing to compare, like a command.
    Unknown,
}

/// How a deploy ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    pub time: String,
    pub how: Ending,
    pub done: u64,
    pub changed: u64,
    pub failed: u64,
    pub skipped: u64,
    pub blocked: u64,
    /// The place where the journal was damaged; the records after it are lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// The number of later tries that failed in the same way.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub again: u64,
    /// The changes by action; `None` for an undo, and in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sums: Option<Sums>,
    /// The last failure that no later try repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The number of resources that an undo left unchanged; 0 in journals of earlier versions.
    #[serde(rename = "standing", default, skip_serializing_if = "is_zero")]
    pub unchanged: u64,
    /// The outcome of an undo in resources; `None` in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<Undone>,
    /// The number of resources, if the deploy stopped before all of them had their turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// The number of resources per outcome of an undo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Undone {
    pub back: u64,
    pub already: u64,
    /// Changed by others, and not undone.
    pub kept: u64,
    /// Folders that stay because they are not empty.
    pub stayed: u64,
    pub lost: u64,
    pub failed: u64,
}

/// The number of changed resources per kind of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sums {
    #[serde(skip_serializing_if = "is_zero")]
    pub create: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub change: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub replace: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub remove: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub run: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub refresh: u64,
}

/// A failed resource and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub resource: ResourceId,
    pub error: String,
    /// The position of its turn, from 1.
    pub at: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that is asked for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a deploy ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    #[default]
    Finished,
    /// Stopped by the user or the face.
    Stopped,
    /// Interrupted, and closed by a later run.
    CutOff,
}
