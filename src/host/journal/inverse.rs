//! How each deed is taken back, as data; or why it cannot be.
//!
//! A facet adds its arm to [`Inverse`] where its deeds can be taken back exactly (`Reversible`), or about so
//! (`Compensable`: a package is removed again, what it wrote elsewhere stays).

use std::path::PathBuf;

use super::deed::Deed;
use super::image::{Attributes, Image};
use super::record::Intent;
use crate::host::SystemChange;
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
#[derive(Clone, Debug, PartialEq)]
pub enum Back {
    /// The path becomes what the image says, whole.
    PutBack { path: PathBuf, image: Image },
    /// Only mode, owner and attributes go back; the content is nobody's business here.
    Attributes { path: PathBuf, attributes: Attributes },
    /// Packages, services, accounts and their like, change by change.
    System(Vec<SystemChange>),
}

impl Inverse {
    /// The inverse of a deed that was done over what was there before.
    pub fn of(intent: &Intent) -> Inverse {
        match &intent.deed {
            Deed::Command { .. } => Inverse::None("nobody knows what a command changed".into()),
            Deed::System { inverse: None, .. } => Inverse::None("it is secret, so how it was is not kept".into()),
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
                    Image::Absent | Image::Other { .. } => Inverse::None("what was there is not known".into()),
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
