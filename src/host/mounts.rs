//! The facet of mounted file systems. The table for the next boot is an ordinary file.

use serde::{Deserialize, Serialize};

use super::HostError;

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mounted {
    pub device: String,
    pub target: String,
    pub kind: String,
    pub options: Vec<String>,
}

/// Reading the mounts.
pub trait LookMounts {
    /// Returns the mounts in mount order. Of several at one path the last one is visible.
    fn mounts(&self) -> Result<Vec<Mounted>, HostError>;
}

/// A change of mounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum MountChange {
    /// Mounts a path as the mount table says, so that secret options appear in no command line.
    Mount(Mounted),
    /// Applies the options of the mount table without unmounting.
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
