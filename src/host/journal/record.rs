//! What a journal says, entry by entry: the deploy, each intent and how it ended, each resource's outcome, the end.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::image::Image;
use super::operation::LoggedOperation;
use super::text;
use crate::graph::ResourceId;
use crate::host::HostError;
use crate::plan::{CompiledFor, SetValues};

/// One entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    Begin(Begin),
    /// Durable before anything of it is done. Its number names the deed from here on.
    Intent(Intent),
    /// The deed was done, and this lies there now.
    Done {
        intent: u64,
        after: Image,
    },
    /// The deed was given up; what it had begun was taken away again, as far as that went.
    Failed {
        intent: u64,
        error: String,
        /// What lies there all the same, where that is not what lay there before. Nobody knows what a command left, so
        /// that counts as nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<Image>,
        /// Nobody could look there any more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_unseen: bool,
    },
    /// The deed was written down ahead, and then not done: the one before it failed, or the run was stopped.
    NotBegun {
        intent: u64,
    },
    /// How a resource's turn ended.
    Outcome(Outcome),
    /// Another state of a resource was wanted from here on than when the deploy began.
    Amended(Amended),
    /// What recovery found of a deed that was cut off; or that one was done, where nobody could look there any more.
    Settled {
        intent: u64,
        found: Settled,
    },
    End(End),
}

/// Who does what, when, and what it builds on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    pub deploy: u64,
    /// What temporary names of this deploy hold, so that its leftovers are known.
    pub tag: String,
    /// In words, UTC; order never rests on it.
    pub time: String,
    pub user: String,
    /// Who called `sudo`, where somebody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
    pub program: String,
    /// What it was asked to work on: a whole path; from `folder` in journals of earlier versions.
    pub entry: String,
    #[serde(with = "text::path")]
    pub folder: PathBuf,
    pub language: String,
    pub modules: Vec<Module>,
    /// The hash of the graph, secrets left out.
    pub graph: String,
    /// The plan that was agreed to, by its hash, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// What the graph was compiled for; `None` for an undo, and in journals of earlier versions.
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

/// What a deploy is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Purpose {
    #[default]
    Apply,
    /// Goes on with a deploy that was cut off.
    Resume { deploy: u64 },
    /// Takes a deploy back.
    Undo { deploy: u64 },
}

/// A deed about to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    pub resource: ResourceId,
    #[serde(flatten)]
    pub operation: LoggedOperation,
    pub before: Image,
    /// For a deed that takes another back: which, as deploy and intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<(u64, u64)>,
}

impl Record {
    /// That a deed was done, and what lies there now; where nobody could look, only that.
    pub(super) fn done(intent: u64, now: Result<Image, HostError>) -> Record {
        match now {
            Ok(after) => Record::Done { intent, after },
            Err(_) => Record::Settled { intent, found: Settled::After },
        }
    }

    /// That a deed was given up, over what was there before.
    pub(super) fn failed(intent: u64, error: String, before: &Image, now: Result<Image, HostError>) -> Record {
        let is_unseen = now.is_err();
        let left = now.ok().filter(|now| !before.is(now));
        Record::Failed { intent, error, left, is_unseen }
    }
}

impl LoggedOperation {
    /// What a deed that is no matter of a path left when it failed: nobody knows, so nothing, as one that was done. `None`
    /// where it did not even begin.
    pub(super) fn left_unknown(&self, error: &HostError) -> Option<Image> {
        let is_begun = match self {
            LoggedOperation::Command { .. } => !matches!(error, HostError::Spawn { .. }),
            // What refused changed nothing; what was ended in the middle may have.
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
    /// What the plan that was agreed to said of it, where the turn does not tell: it was not taken, or was foretold less surely.
    /// Nothing in journals of earlier versions, and where there was no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Foretold>,
}

/// A resource whose wanted state was changed in the middle of a deploy, after it had failed; changes as the plan's JSON has them,
/// secrets hidden.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Amended {
    pub resource: ResourceId,
    pub changes: Vec<serde_json::Value>,
    pub time: String,
    /// The hash of the graph from here on, secrets left out.
    pub graph: String,
    /// How many outcomes were told before: the journal says it by its order.
    #[serde(skip)]
    pub at: usize,
}

/// What was planned, in the words of the plan's JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foretold {
    pub action: String,
    pub certainty: String,
}

/// Where a deed that was cut off stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// Nothing of it was done.
    Before,
    /// All of it was done.
    After,
    /// Something else lies there: somebody else changed it.
    Neither,
    /// It leaves nothing to compare, as a command does.
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
    /// Where its journal was damaged when it was settled, and lost what came after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// How often it was tried again since, and failed in the same way each time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub again: u64,
    /// What was done, by action; nothing in journals of earlier versions, and of what takes a deploy back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sums: Option<Sums>,
    /// What failed last, and was not done since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Of how many resources an undo left something as it was: nothing in journals of earlier versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub standing: u64,
    /// What an undo came to, counted by resources; nothing in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<Undone>,
    /// How many resources there were, where it was stopped before all of them had their turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// What an undo gave: how many came to which end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Undone {
    pub back: u64,
    pub already: u64,
    /// Left as somebody else made them.
    pub kept: u64,
    /// Folders that were left, for what they hold.
    pub stayed: u64,
    pub lost: u64,
    pub failed: u64,
}

/// How many resources were changed in which way, those that were right left out.
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

/// What failed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub resource: ResourceId,
    pub error: String,
    /// The how manyth turn it was, from 1.
    pub at: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that is asked for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    #[default]
    Finished,
    /// By the user, or by the face.
    Stopped,
    /// Cut off, and settled by a later run.
    CutOff,
}
