//! How each deed is taken back, as data; or why it cannot be.
//!
//! A facet adds its arm to [`Inverse`] where its deeds can be taken back exactly (`Reversible`), or about so
//! (`Compensable`: a package is removed again, what it wrote elsewhere stays).

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

/// How a deed is taken back.
#[derive(Clone, Debug, PartialEq)]
pub enum Inverse {
    /// Exactly.
    Reversible(Back),
    /// About so, and what stays behind.
    Compensable(Back, String),
    /// Not at all, and why.
    None(String),
}

/// What is done to take a deed back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Back {
    /// The path becomes what the image says, whole.
    PutBack {
        #[serde(with = "text::path")]
        path: PathBuf,
        image: Image,
    },
    /// A folder goes, if nothing is in it.
    RemoveFolder {
        #[serde(with = "text::path")]
        path: PathBuf,
    },
    /// Only mode, owner and attributes go back; the content is nobody's business here.
    Attributes {
        #[serde(with = "text::path")]
        path: PathBuf,
        attributes: Attributes,
    },
    /// Packages, services, accounts and their like, change by change.
    System(Vec<SystemChange>),
}

impl Back {
    /// The path that it changes; nothing where it is no matter of one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Back::PutBack { path, .. } | Back::RemoveFolder { path } | Back::Attributes { path, .. } => Some(path),
            Back::System(_) => None,
        }
    }

    /// What is written down of it, and how much of what is there before has to be kept.
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

    /// Does it to a path of this machine.
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
    /// The inverse of a deed that was done over what was there before.
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
