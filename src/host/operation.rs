//! One operation on a machine, as data: a check decides on it, a turn performs it.

use std::path::{Path, PathBuf};

use super::{Act, FileImage, HostError, Owner, SystemChange, Within};

/// One change of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    WriteFile {
        path: PathBuf,
        image: FileImage,
    },
    /// Copies one file over another. The content is read when this is performed, so that large trees need no memory.
    CopyFile {
        from: PathBuf,
        path: PathBuf,
        mode: u32,
        owner: Owner,
    },
    MakeDir {
        path: PathBuf,
        mode: u32,
        owner: Owner,
    },
    MakeLink {
        path: PathBuf,
        target: PathBuf,
    },
    SetMode {
        path: PathBuf,
        mode: u32,
    },
    SetXattr {
        path: PathBuf,
        name: &'static str,
        value: Vec<u8>,
    },
    SetOwner {
        path: PathBuf,
        owner: Owner,
    },
    RemoveFile {
        path: PathBuf,
    },
    RemoveDir {
        path: PathBuf,
    },
    RemoveTree {
        path: PathBuf,
    },
    /// Everything except files.
    System(SystemChange),
}

impl Operation {
    /// Returns the path that it changes; `None` if it does not concern files.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Operation::System(_) => None,
            Operation::WriteFile { path, .. }
            | Operation::CopyFile { path, .. }
            | Operation::MakeDir { path, .. }
            | Operation::MakeLink { path, .. }
            | Operation::SetMode { path, .. }
            | Operation::SetXattr { path, .. }
            | Operation::SetOwner { path, .. }
            | Operation::RemoveFile { path }
            | Operation::RemoveDir { path }
            | Operation::RemoveTree { path } => Some(path),
        }
    }

    pub fn perform(&self, act: &dyn Act) -> Result<(), HostError> {
        self.perform_within(act, &Within::default()).map(drop)
    }

    /// The same, with limits for long changes. Returns report lines.
    pub fn perform_within(&self, act: &dyn Act, within: &Within) -> Result<Vec<String>, HostError> {
        match self {
            Operation::System(change) => return act.change(change, within),
            Operation::WriteFile { path, image } => act.write_file(path, image),
            Operation::CopyFile { from, path, mode, owner } => act.copy_file(from, path, *mode, *owner),
            Operation::MakeDir { path, mode, owner } => act.make_dir(path, *mode, *owner),
            Operation::MakeLink { path, target } => act.make_link(path, target),
            Operation::SetMode { path, mode } => act.set_mode(path, *mode),
            Operation::SetOwner { path, owner } => act.set_owner(path, *owner),
            Operation::SetXattr { path, name, value } => act.set_xattr(path, name, value),
            Operation::RemoveFile { path } => act.remove_file(path),
            Operation::RemoveDir { path } => act.remove_dir(path),
            Operation::RemoveTree { path } => act.remove_tree(path),
        }
        .map(|()| Vec::new())
    }
}
