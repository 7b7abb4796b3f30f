//! The facet of files: what can be seen of a path, and what can be done to it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::HostError;

/// Larger files are not read whole: they are an error with a name.
pub const READ_CAP: u64 = 256 << 20;

/// What lies at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Dir,
    Link,
    /// A device, a pipe, a socket.
    Other,
}

impl FileKind {
    pub fn from_raw_mode(mode: u32) -> Self {
        match rustix::fs::FileType::from_raw_mode(mode) {
            rustix::fs::FileType::RegularFile => FileKind::File,
            rustix::fs::FileType::Directory => FileKind::Dir,
            rustix::fs::FileType::Symlink => FileKind::Link,
            _ => FileKind::Other,
        }
    }

    /// In words, with an article.
    pub fn words(self) -> &'static str {
        match self {
            FileKind::File => "a file",
            FileKind::Dir => "a folder",
            FileKind::Link => "a symbolic link",
            FileKind::Other => "a device, pipe or socket",
        }
    }
}

/// What is known of a path without reading it.
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
    /// Whether what it holds is kept from everybody but its owner, so that it is not to be shown to whoever reads a plan.
    pub fn is_private(&self) -> bool {
        is_private(self.mode)
    }
}

/// Whether a mode keeps what a file holds from everybody but its owner.
pub fn is_private(mode: u32) -> bool {
    mode & 0o077 == 0
}

/// Who shall own something; `None` leaves it as the system makes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub uid: Option<u32>,
    pub gid: Option<u32>,
}

/// A whole file, put in place at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileImage {
    /// `None`: known only while applying, which only an overlay takes.
    pub content: Option<Arc<[u8]>>,
    pub mode: u32,
    pub owner: Owner,
}

/// Reading files. No call changes anything, access times aside.
pub trait LookFiles {
    /// What lies at a path, without following a link at its end. `None` where nothing does.
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError>;

    /// The same, following links.
    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError>;

    /// A file's content, following links, up to [`READ_CAP`]. `None` where it is known only while applying.
    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError>;

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError>;

    /// The names in a folder, sorted.
    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError>;

    /// Whether two files hold the same, following links, however large they are. `None` where that is known only while
    /// applying.
    fn same(&self, one: &Path, other: &Path) -> Result<Option<bool>, HostError> {
        let (one, other) = (self.read(one)?, self.read(other)?);
        Ok(one.zip(other).map(|(one, other)| one == other))
    }

    /// When a file was last changed, following links: nanoseconds since 1970. `None` where that is known only while
    /// applying.
    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError>;

    /// An extended attribute, without following a link at the end. `None` where there is none.
    fn xattr(&self, path: &Path, name: &str) -> Result<Option<Vec<u8>>, HostError>;
}

/// Writing files. No call follows a link at the end of its path. A file that is put in the place of another keeps the
/// other's extended attributes, access lists and security label among them.
pub trait ActFiles {
    /// Puts a whole file in place: content, mode and owner appear together, or nothing does.
    fn write_file(&self, path: &Path, image: &FileImage) -> Result<(), HostError>;

    /// Puts a copy of a file in place, as [`ActFiles::write_file`] does, however large it is.
    fn copy_file(&self, from: &Path, path: &Path, mode: u32, owner: Owner) -> Result<(), HostError>;

    fn make_dir(&self, path: &Path, mode: u32, owner: Owner) -> Result<(), HostError>;

    /// Puts a symbolic link in place, also of another link or a file.
    fn make_link(&self, path: &Path, target: &Path) -> Result<(), HostError>;

    fn set_mode(&self, path: &Path, mode: u32) -> Result<(), HostError>;

    fn set_owner(&self, path: &Path, owner: Owner) -> Result<(), HostError>;

    fn set_xattr(&self, path: &Path, name: &str, value: &[u8]) -> Result<(), HostError>;

    /// Removes anything but a folder.
    fn remove_file(&self, path: &Path) -> Result<(), HostError>;

    /// Removes an empty folder.
    fn remove_dir(&self, path: &Path) -> Result<(), HostError>;

    /// Removes a folder and all that is in it, on the same file system and through no link.
    fn remove_tree(&self, path: &Path) -> Result<(), HostError>;

    /// Says that something unknown may come to lie at a path or below. Only an overlay remembers it.
    fn may_create(&self, path: &Path);
}

/// The folder and the name of an absolute path, so that work can go through a handle on the folder.
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
