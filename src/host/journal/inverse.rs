//! How to undo each operation, as data, or why that is impossible.
//!
//! A facet adds its variant to [`Inverse`] if its operations can be undone exactly (`Reversible`) or approximately
//! (`Compensable`: a package is removed again, but the files that it wrote elsewhere stay).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::blob::Blobs;
use super::image::{Attributes, Depth, Image};
use super::operation::LoggedOperation;
use super::record::Intent;
use super::text;
use crate::host::local::LocalTurn;
use crate::host::{HostError, SystemChange, Within};
use crate::plan::Reversible;

/// How to undo an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Inverse {
    /// Exactly.
    Reversible(UndoAction),
    /// Approximately, with what stays.
    Compensable(UndoAction, String),
    /// Not at all, with the reason.
    None(String),
}

/// The work that undoes an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoAction {
    /// Restores the whole image at the path.
    #[serde(rename = "put_back")]
    Restore {
        #[serde(with = "text::path")]
        path: PathBuf,
        image: Image,
    },
    /// Removes a folder if it is empty.
    RemoveFolder {
        #[serde(with = "text::path")]
        path: PathBuf,
    },
    /// Restores only mode, owner and attributes, not the content.
    Attributes {
        #[serde(with = "text::path")]
        path: PathBuf,
        attributes: Attributes,
    },
    /// Restores packages, services, accounts and the like, change by change.
    System(Vec<SystemChange>),
}

impl UndoAction {
    /// Returns the path that it changes; `None` if it does not concern one path.
    pub fn path(&self) -> Option<&Path> {
        match self {
            UndoAction::Restore { path, .. }
            | UndoAction::RemoveFolder { path }
            | UndoAction::Attributes { path, .. } => Some(path),
            UndoAction::System(_) => None,
        }
    }

    /// Returns the journal's form of it, and how much of the state before it must be stored.
    pub(super) fn logged(&self) -> Option<(LoggedOperation, Depth)> {
        match self {
            UndoAction::Restore { path, image } => {
                Some((LoggedOperation::Restore { path: path.clone(), image: image.clone() }, Depth::Tree))
            }
            UndoAction::RemoveFolder { path } => {
                Some((LoggedOperation::Remove { path: path.clone() }, Depth::Attributes))
            }
            UndoAction::Attributes { path, attributes } => {
                Some((LoggedOperation::SetMode { path: path.clone(), mode: attributes.mode }, Depth::Attributes))
            }
            UndoAction::System(_) => None,
        }
    }

    /// Performs it on a path of this machine.
    pub(super) fn perform(&self, local: &LocalTurn, blobs: &Blobs) -> Result<(), HostError> {
        match self {
            UndoAction::Restore { path, image } => local.restore(path, image, blobs),
            UndoAction::RemoveFolder { path } => local.remove_dir(path),
            UndoAction::Attributes { path, attributes } => local.put_attributes(path, attributes),
            UndoAction::System(changes) => {
                changes.iter().try_for_each(|change| local.change(change, &Within::default()).map(drop))
            }
        }
    }
}

impl Inverse {
    /// Returns the inverse of a journalled operation, from its before-image.
    pub fn of(intent: &Intent) -> Inverse {
        match &intent.operation {
            LoggedOperation::Command { .. } => Inverse::None("a command (effects unknown)".into()),
            LoggedOperation::System { inverse: None, .. } => {
                Inverse::None("it is secret, so its old state was not saved".into())
            }
            LoggedOperation::System { inverse: Some(inverse), .. } => {
                let back = UndoAction::System(inverse.changes.clone());
                match inverse.reversible {
                    Reversible::Yes => Inverse::Reversible(back),
                    Reversible::Partly => Inverse::Compensable(back, inverse.why.clone()),
                    Reversible::No => Inverse::None(inverse.why.clone()),
                }
            }
            LoggedOperation::SetMode { path, .. }
            | LoggedOperation::SetOwner { path, .. }
            | LoggedOperation::SetXattr { path, .. } => match &intent.before {
                Image::File { attributes, .. } | Image::Dir { attributes, .. } => {
                    Inverse::Reversible(UndoAction::Attributes { path: path.clone(), attributes: attributes.clone() })
                }
                Image::Link { uid, gid, .. } => {
                    let attributes = Attributes { mode: 0o777, uid: *uid, gid: *gid, xattrs: Vec::new() };
                    Inverse::Reversible(UndoAction::Attributes { path: path.clone(), attributes })
                }
                Image::Absent | Image::Other { .. } => Inverse::None("the old state is unknown".into()),
            },
            LoggedOperation::WriteFile { path, .. }
            | LoggedOperation::MakeDir { path, .. }
            | LoggedOperation::MakeLink { path, .. }
            | LoggedOperation::Remove { path }
            | LoggedOperation::Restore { path, .. } => match intent.before.loss() {
                Some(why) => Inverse::None(why),
                None => Inverse::Reversible(UndoAction::Restore { path: path.clone(), image: intent.before.clone() }),
            },
        }
    }
}
