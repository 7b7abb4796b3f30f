//! The facet of files: inspecting a path and changing it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::HostError;

/// Reading a larger file is an error.
pub const READ_CAP: u64 = 256 << 20;

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Dir,
    Link,
    /// A device, a pipe or a socket.
    Other,
}

impl FileKind {
    /// Returns the type that a `st_mode` contains.
    pub fn from_raw_mode(mode: u32) -> Self {
        match rustix::fs::FileType::from_raw_mode(mode) {
            rustix::fs::FileType::RegularFile => FileKind::File,
            rustix::fs::FileType::Directory => FileKind::Dir,
            rustix::fs::FileType::Symlink => FileKind::Link,
            _ => FileKind::Other,
        }
    }

    /// Returns the type as text with an article.
    pub fn words(self) -> &'static str {
        match self {
            FileKind::File => "a file",
            FileKind::Dir => "a folder",
            FileKind::Link => "a symbolic link",
            FileKind::Other => "a device, pipe or socket",
        }
    }
}

/// The metadata of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub kind: FileKind,
    /// The twelve permission bits.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub size: u64,
}

impl Stat {
    /// Whether only the owner can read the file, so that its content must not appear in a plan.
    pub fn is_private(&self) -> bool {
        is_private(self.mode)
    }
}

/// Whether a mode lets only the owner read the file.
pub fn is_private(mode: u32) -> bool {
    mode & 0o077 == 0
}

/// The owner to set; `None` keeps the system's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub uid: Option<u32>,
    pub gid: Option<u32>,
}

/// A complete file to write atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileImage {
    /// `None`: known after apply. Only an overlay accepts it.
    pub content: Option<Arc<[u8]>>,
    pub mode: u32,
    pub owner: Owner,
}

/// Reading files. No call changes anything except access times.
pub trait LookFiles {
    /// Returns the metadata of a path, without following a final link. `None` if the path does not exist.
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError>;

    /// The same, following links.
    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError>;

    /// Reads a file, following links, up to [`READ_CAP`]. `None` if the content is known after apply.
    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError>;

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError>;

    /// Returns the names in a folder, sorted.
    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError>;

    /// Whether two files have the same content, following links, for any size. `None` if that is known after apply.
    fn same(&self, one: &Path, other: &Path) -> Result<Option<bool>, HostError> {
        let (one, other) = (self.read(one)?, self.read(other)?);
        Ok(one.zip(other).map(|(one, other)| one == other))
    }

    /// Returns the time of the last change, following links, in nanoseconds since 1970. `None` if it is known after
    /// apply.
    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError>;

    /// Returns an extended attribute, without following a final link. `None` if it is not set.
    fn xattr(&self, path: &Path, name: &str) -> Result<Option<Vec<u8>>, HostError>;
}

/// Splits an absolute path into folder and name, so that work can go through a handle on the folder.
pub fn split_path(path: &Path) -> Result<(&Path, &OsStr), HostError> {
    let bad = |why| Err(HostError::BadPath { path: path.into(), why });
    if path.as_os_str().as_bytes().contains(&0) {
        return bad("it contains a zero byte");
    }
    if !path.is_absolute() {
        return bad("it is not absolute");
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((parent, name)),
        (None, _) => bad("it is the root folder"),
        (_, None) => bad("it ends in `..`"),
    }
}
