//! One operation on a machine, as data: a check decides on it, a turn performs it.

use std::path::{Path, PathBuf};

use super::{FileImage, Owner, SystemChange};

/// One change of a machine. None follows a final link. A file that replaces another keeps the other's extended attributes,
/// including access lists and the security label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Writes a whole file: content, mode and owner appear together or not at all.
    WriteFile {
        path: PathBuf,
        image: FileImage,
    },
    /// Copies one file over another, atomically too. The content is read when this is performed, so that large trees need no memory.
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
    /// Makes a symbolic link, also in place of another link or a file.
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
    /// Removes anything except a folder.
    RemoveFile {
        path: PathBuf,
    },
    /// Removes an empty folder.
    RemoveDir {
        path: PathBuf,
    },
    /// Removes a folder and its contents, within one file system and through no link.
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
}
