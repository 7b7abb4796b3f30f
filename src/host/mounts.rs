//! The facet of mounts: which file systems are there, and where. The table for the next start is a file like any other.

use serde::{Deserialize, Serialize};

use super::HostError;

/// A file system in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mounted {
    pub device: String,
    pub target: String,
    pub kind: String,
    pub options: Vec<String>,
}

/// Asking what is mounted.
pub trait LookMounts {
    /// In the order in which they were mounted; of several at one place the last one is seen.
    fn mounts(&self) -> Result<Vec<Mounted>, HostError>;
}

/// One change of mounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum MountChange {
    /// Mounts what the mount table says of a place, so that options that hold secrets are in no command line.
    Mount(Mounted),
    /// Takes the options of the mount table on without unmounting.
    Remount(Mounted),
    Unmount {
        target: String,
    },
}

/// Predicts a change.
pub fn change_mounts(mounts: &mut Vec<Mounted>, change: &MountChange) {
    match change {
        MountChange::Mount(mounted) => mounts.push(mounted.clone()),
        MountChange::Remount(mounted) => {
            if let Some(there) = mounts.iter_mut().rev().find(|there| there.target == mounted.target) {
                there.options.clone_from(&mounted.options);
            }
        }
        MountChange::Unmount { target } => {
            if let Some(at) = mounts.iter().rposition(|there| there.target == *target) {
                mounts.remove(at);
            }
        }
    }
}
