//! How to undo each operation, as data, or why that is impossible.
//!
//! A facet adds its variant to [`Inverse`] if its operations can be undone exactly (`Reversible`) or approximately
//! (`Compensable`: a package is removed again, but the files that it wrote elsewhere stay).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::blob::Blobs;
use super::deed::Deed;
use super::image::{Attributes, Depth, Image};
use super::record::Intent;
use super::text;
use crate::host::local::LocalTurn;
use crate::host::{ActFiles, ActSystem, HostError, SystemChange, Within};
use crate::plan::Reversible;

/// How to undo an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Inverse {
    /// Exactly.
    Reversible(Back),
    /// Approximately, with what stays.
    Compensable(Back, String),
    /// Not at all, with the reason.
    None(String),
}

/// The work that undoes an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Back {
    /// Restores the whole image at the path.
    PutBack {
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

impl Back {
    /// Returns the path that it changes; `None` if it does not concern one path.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Back::PutBack { path, .. } | Back::RemoveFolder { path } | Back::Attributes { path, .. } => Some(path),
            Back::System(_) => None,
        }
    }

    /// Returns the journal's form of it, and how much of the state before it must be stored.
    pub(super) fn deed(&self) -> Option<(Deed, Depth)> {
        match self {
            Back::PutBack { path, image } => {
                Some((Deed::PutBack { path: path.clone(), image: image.clone() }, Depth::Tree))
            }
            Back::RemoveFolder { path } => Some((Deed::Remove { path: path.clone() }, Depth::Attributes)),
            Back::Attributes { path, attributes } => {
                Some((Deed::SetMode { path: path.clone(), mode: attributes.mode }, Depth::Attributes))
            }
            Back::System(_) => None,
        }
    }

    /// Performs it on a path of this machine.
    pub(super) fn perform(&self, local: &LocalTurn, blobs: &Blobs) -> Result<(), HostError> {
        match self {
            Back::PutBack { path, image } => local.put_back(path, image, blobs),
            Back::RemoveFolder { path } => local.remove_dir(path),
            Back::Attributes { path, attributes } => local.put_attributes(path, attributes),
            Back::System(changes) => {
                changes.iter().try_for_each(|change| local.change(change, &Within::default()).map(drop))
            }
        }
    }
}

impl Inverse {
    /// Returns the inverse of a journalled operation, from its before-image.
    pub fn of(intent: &Intent) -> Inverse {
        match &intent.deed {
            Deed::Command { .. } => Inverse::None("a command (effects unknown)".into()),
            Deed::System { inverse: None, .. } => Inverse::None("it is secret, so its old state was not saved".into()),
            Deed::System { inverse: Some(inverse), .. } => {
                let back = Back::System(inverse.changes.clone());
                match inverse.reversible {
                    Reversible::Yes => Inverse::Reversible(back),
                    Reversible::Partly => Inverse::Compensable(back, inverse.why.clone()),
                    Reversible::No => Inverse::None(inverse.why.clone()),
                }
            }
            Deed::SetMode { path, .. } | Deed::SetOwner { path, .. } | Deed::SetXattr { path, .. } => {
                match &intent.before {
                    Image::File { attributes, .. } | Image::Dir { attributes, .. } => {
                        Inverse::Reversible(Back::Attributes { path: path.clone(), attributes: attributes.clone() })
                    }
                    Image::Link { uid, gid, .. } => {
                        let attributes = Attributes { mode: 0o777, uid: *uid, gid: *gid, xattrs: Vec::new() };
                        Inverse::Reversible(Back::Attributes { path: path.clone(), attributes })
                    }
                    Image::Absent | Image::Other { .. } => Inverse::None("the old state is unknown".into()),
                }
            }
            Deed::WriteFile { path, .. }
            | Deed::MakeDir { path, .. }
            | Deed::MakeLink { path, .. }
            | Deed::Remove { path }
            | Deed::PutBack { path, .. } => match intent.before.loss() {
                Some(why) => Inverse::None(why),
                None => Inverse::Reversible(Back::PutBack { path: path.clone(), image: intent.before.clone() }),
            },
        }
    }
}
