//! The state of a path, complete enough to restore it, read through a handle on its folder.

use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::blob::{Digest, Keep, NotKept};
use super::text::{self, Bytes};
use crate::host::{FileKind, HostError};

/// Larger files are not stored, so overwriting one cannot be undone.
pub const FILE_CAP: u64 = 256 << 20;

/// Larger trees are not stored either.
pub const TREE_ENTRIES: usize = 100_000;
/// The size limit of a stored tree in bytes.
pub const TREE_BYTES: u64 = 1 << 30;
const TREE_DEPTH: usize = 128;

/// The state of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Image {
    Absent,
    File {
        content: Content,
        #[serde(flatten)]
        attributes: Attributes,
        /// Seconds and nanoseconds.
        modified: (i64, i64),
    },
    Dir {
        #[serde(flatten)]
        attributes: Attributes,
        /// The contents of the folder, if they were read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<Tree>,
    },
    Link {
        #[serde(with = "text::path")]
        target: PathBuf,
        uid: u32,
        gid: u32,
    },
    /// A device, a pipe or a socket. It is never stored.
    Other {
        mode: u32,
    },
}

/// Mode, owner and extended attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub xattrs: Vec<(Bytes, Bytes)>,
}

/// What is recorded of a file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// The content, in the blob store.
    Kept(Digest),
    /// Only its hash.
    Hashed(Digest),
    /// Must not be stored, not even as a hash.
    Secret,
    /// Not read, because only attributes change.
    Unread,
    /// Could not be stored, with the reason.
    Lost(String),
}

impl Content {
    /// Returns the hash and size, if they are recorded.
    pub fn digest(&self) -> Option<&Digest> {
        match self {
            Content::Kept(digest) | Content::Hashed(digest) => Some(digest),
            _ => None,
        }
    }
}

/// What is recorded of a folder's contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tree {
    /// A list of [`Entry`] in the blob store, each folder before its contents.
    Kept { list: Digest, entries: u64 },
    /// Could not be stored, with the reason.
    Lost(String),
}

/// One file or folder of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Relative to the tree's folder.
    #[serde(with = "text::path")]
    pub path: PathBuf,
    pub image: Image,
}

/// How much of a path to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Attributes only.
    Attributes,
    /// Also a file's hash.
    Hash,
    /// Also a file's content, into the blob store.
    Content,
    /// A folder's whole tree.
    Tree,
}

impl Image {
    /// Records the state of a name in an open folder. `secret`: no content may enter the state folder.
    pub fn take(
        dir: &OwnedFd,
        name: &OsStr,
        path: &Path,
        depth: Depth,
        secret: bool,
        blobs: &dyn Keep,
    ) -> Result<Image, HostError> {
        let failed = |errno| HostError::io("read", path, errno);
        let stat = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(Image::Absent),
            Err(errno) => return Err(failed(errno)),
        };
        let mut attributes =
            Attributes { mode: stat.st_mode & 0o7777, uid: stat.st_uid, gid: stat.st_gid, xattrs: Vec::new() };
        match FileKind::from_raw_mode(stat.st_mode) {
            FileKind::Other => Ok(Image::Other { mode: attributes.mode }),
            FileKind::Link => {
                let target = rustix::fs::readlinkat(dir, name, Vec::new()).map_err(failed)?;
                Ok(Image::Link { target: text::os_path(target.into_bytes()), uid: attributes.uid, gid: attributes.gid })
            }
            FileKind::File => {
                let (content, xattrs) = match depth {
                    // Undoing a change of attributes needs all of them and no content.
                    Depth::Attributes if secret => {
                        (Content::Secret, file_content(dir, name, depth, blobs).map_err(failed)?.1)
                    }
                    _ if secret => (Content::Secret, Vec::new()),
                    _ => file_content(dir, name, depth, blobs).map_err(failed)?,
                };
                attributes.xattrs = xattrs;
                #[allow(clippy::unnecessary_cast, reason = "the width differs between targets")]
                let modified = (stat.st_mtime as i64, stat.st_mtime_nsec as i64);
                Ok(Image::File { content, attributes, modified })
            }
            FileKind::Dir => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let here = rustix::fs::openat(dir, name, flags, Mode::empty());
                attributes.xattrs = here.as_ref().map(xattrs).unwrap_or_default();
                let tree = match (depth, here) {
                    (Depth::Tree, _) if secret => Some(Tree::Lost("it may hold secrets".into())),
                    (Depth::Tree, Ok(here)) => Some(take_tree(&here, path, stat.st_dev, blobs)?),
                    (Depth::Tree, Err(errno)) => return Err(failed(errno)),
                    _ => None,
                };
                Ok(Image::Dir { attributes, tree })
            }
        }
    }

    /// Returns why this state cannot be restored; `None` if it can.
    pub fn loss(&self) -> Option<String> {
        match self {
            Image::Absent | Image::Link { .. } | Image::Dir { tree: None | Some(Tree::Kept { .. }), .. } => None,
            Image::File { content: Content::Kept(_), .. } => None,
            Image::File { content: Content::Secret, .. } => Some("its content is secret and was not saved".into()),
            Image::File { content: Content::Lost(why), .. } | Image::Dir { tree: Some(Tree::Lost(why)), .. } => {
                Some(why.clone())
            }
            Image::File { content: Content::Hashed(_) | Content::Unread, .. } => {
                Some("its content was not saved".into())
            }
            Image::Other { .. } => Some("it was a device, pipe or socket".into()),
        }
    }

    /// Whether two images may be of the same state, as far as both are known. Times do not count.
    pub fn agrees(&self, other: &Image) -> bool {
        match (self, other) {
            (Image::Absent, Image::Absent) | (Image::Other { .. }, Image::Other { .. }) => true,
            (
                Image::File { content, attributes, .. },
                Image::File { content: others, attributes: others_attributes, .. },
            ) => {
                let same = match (content.digest(), others.digest()) {
                    (Some(mine), Some(others)) => mine == others,
                    _ => true,
                };
                // Only this is recorded of a secret file.
                let known = *content != Content::Secret && *others != Content::Secret;
                same && attributes.agree(others_attributes) && (!known || attributes.agree_more(others_attributes))
            }
            (Image::Dir { attributes, .. }, Image::Dir { attributes: others_attributes, .. }) => {
                attributes.agree(others_attributes) && attributes.agree_more(others_attributes)
            }
            (Image::Link { target, .. }, Image::Link { target: others_attributes, .. }) => target == others_attributes,
            _ => false,
        }
    }

    /// The same, and for a folder with a recorded tree also its contents.
    pub fn is(&self, now: &Image) -> bool {
        let tree = |image: &Image| match image {
            Image::Dir { tree: Some(Tree::Kept { list, .. }), .. } => Some(list.clone()),
            _ => None,
        };
        self.agrees(now) && (tree(self).is_none() || tree(self) == tree(now))
    }

    /// Returns how closely to inspect a path for a comparison with this.
    pub(super) fn depth(&self) -> Depth {
        if matches!(self, Image::Dir { tree: Some(Tree::Kept { .. }), .. }) { Depth::Tree } else { Depth::Hash }
    }

    /// Returns the type as text with an article.
    pub fn words(&self) -> &'static str {
        match self {
            Image::Absent => "nothing",
            Image::File { .. } => "a file",
            Image::Dir { .. } => "a folder",
            Image::Link { .. } => "a symbolic link",
            Image::Other { .. } => "a device, pipe or socket",
        }
    }

    /// Describes what changed from this state to a later one, as far as both are known: `content changed`.
    pub fn change_words(&self, now: &Image) -> String {
        let mut parts = Vec::new();
        match (self, now) {
            (_, Image::Absent) => return "deleted".into(),
            (Image::Absent, _) => return format!("created as {}", now.words()),
            _ if self.words() != now.words() => return format!("replaced by {}", now.words()),
            (Image::File { content, .. }, Image::File { content: others, .. }) => {
                let digests = content.digest().zip(others.digest());
                parts.extend(digests.is_some_and(|(then, now)| then != now).then_some("content"));
            }
            (Image::Link { .. }, Image::Link { .. }) => parts.push("target"),
            _ => {}
        }
        if let (Some(then), Some(now)) = (self.attributes(), now.attributes()) {
            parts.extend((then.mode != now.mode).then_some("mode"));
            parts.extend(((then.uid, then.gid) != (now.uid, now.gid)).then_some("owner"));
        }
        if parts.is_empty() { "changed".into() } else { format!("{} changed", parts.join(", ")) }
    }

    /// Returns the attributes of types that have them.
    pub fn attributes(&self) -> Option<&Attributes> {
        match self {
            Image::File { attributes, .. } | Image::Dir { attributes, .. } => Some(attributes),
            Image::Absent | Image::Link { .. } | Image::Other { .. } => None,
        }
    }

    /// Returns the blobs that the image refers to.
    pub fn digests(&self) -> impl Iterator<Item = &Digest> {
        let digest = match self {
            Image::File { content: Content::Kept(digest), .. } => Some(digest),
            Image::Dir { tree: Some(Tree::Kept { list, .. }), .. } => Some(list),
            _ => None,
        };
        digest.into_iter()
    }
}

impl Attributes {
    fn agree(&self, other: &Attributes) -> bool {
        (self.mode, self.uid, self.gid) == (other.mode, other.uid, other.gid)
    }
}

impl Attributes {
    /// Whether the extended attributes that users set agree. The system changes the others.
    fn agree_more(&self, other: &Attributes) -> bool {
        let ours = |xattrs: &[(Bytes, Bytes)]| -> Vec<(Bytes, Bytes)> {
            xattrs.iter().filter(|(name, _)| is_ours(&name.0)).cloned().collect()
        };
        ours(&self.xattrs) == ours(&other.xattrs)
    }
}

/// Whether a user can set this attribute or access list.
fn is_ours(name: &[u8]) -> bool {
    name.starts_with(b"user.") || name.starts_with(b"system.posix_acl")
}

fn file_content(
    dir: &OwnedFd,
    name: &OsStr,
    depth: Depth,
    blobs: &dyn Keep,
) -> Result<(Content, Vec<(Bytes, Bytes)>), Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(dir, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::ACCESS | Errno::PERM) => return Ok((Content::Lost("permission denied".into()), Vec::new())),
        Err(errno) => return Err(errno),
    };
    let xattrs = xattrs(&file);
    let content = match depth {
        Depth::Attributes => Content::Unread,
        Depth::Hash => Content::Hashed(Digest::of_file(file)?),
        Depth::Content | Depth::Tree => match blobs.keep(file.as_fd(), FILE_CAP) {
            Ok(digest) => Content::Kept(digest),
            Err(NotKept::TooLarge) => Content::Lost(format!("larger than {} MiB", FILE_CAP >> 20)),
            Err(NotKept::Errno(errno)) => return Err(errno),
        },
    };
    Ok((content, xattrs))
}

/// Returns all readable extended attributes, including access lists.
fn xattrs(file: &OwnedFd) -> Vec<(Bytes, Bytes)> {
    let Ok(length @ 1..) = rustix::fs::flistxattr_query(file) else { return Vec::new() };
    let mut names = vec![0; length];
    let Ok(length) = rustix::fs::flistxattr(file, &mut names[..]) else { return Vec::new() };
    let mut found = Vec::new();
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let Ok(length) = rustix::fs::fgetxattr_query(file, name) else { continue };
        let mut value = vec![0; length];
        if let Ok(length) = rustix::fs::fgetxattr(file, name, &mut value[..]) {
            value.truncate(length);
            found.push((Bytes(name.to_vec()), Bytes(value)));
        }
    }
    found.sort_unstable_by(|a, b| a.0.0.cmp(&b.0.0));
    found
}

/// Records the contents of a folder as a list in the blob store.
fn take_tree(here: &OwnedFd, path: &Path, device: u64, blobs: &dyn Keep) -> Result<Tree, HostError> {
    let mut walk = Walk { entries: Vec::new(), bytes: 0, device, blobs };
    match walk.folder(here, path, Path::new(""), 0) {
        Ok(()) => {}
        Err(Stop::Lost(why)) => return Ok(Tree::Lost(why)),
        Err(Stop::Failed(error)) => return Err(error),
    }
    let list = serde_json::to_vec(&walk.entries).expect("images are plain data");
    let kept = blobs.keep_bytes(&list).map_err(|errno| HostError::journal("save the contents of the folder", errno))?;
    Ok(Tree::Kept { list: kept, entries: walk.entries.len() as u64 })
}

struct Walk<'a> {
    entries: Vec<Entry>,
    bytes: u64,
    device: u64,
    blobs: &'a dyn Keep,
}

enum Stop {
    Lost(String),
    Failed(HostError),
}

impl Walk<'_> {
    fn folder(&mut self, here: &OwnedFd, path: &Path, below: &Path, depth: usize) -> Result<(), Stop> {
        if depth > TREE_DEPTH {
            return Err(Stop::Lost("nested too deep".into()));
        }
        let failed = |errno| Stop::Failed(HostError::io("list", path, errno));
        let mut names = crate::host::local::names_in(here).map_err(failed)?;
        names.sort_unstable();
        for name in names {
            let (path, below) = (path.join(&name), below.join(&name));
            let image = Image::take(here, &name, &path, Depth::Content, false, self.blobs).map_err(Stop::Failed)?;
            if let Some(why) = image.loss() {
                return Err(Stop::Lost(format!("{}: {why}", below.display())));
            }
            if let Image::File { content, .. } = &image {
                self.bytes += content.digest().map_or(0, |digest| digest.size);
            }
            let is_dir = matches!(image, Image::Dir { .. });
            self.entries.push(Entry { path: below.clone(), image });
            if self.entries.len() > TREE_ENTRIES || self.bytes > TREE_BYTES {
                return Err(Stop::Lost(format!("more than {TREE_ENTRIES} entries or {} MiB", TREE_BYTES >> 20)));
            }
            if is_dir {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let failed = |errno| Stop::Failed(HostError::io("open", &path, errno));
                let inner = rustix::fs::openat(here, &name, flags, Mode::empty()).map_err(failed)?;
                if rustix::fs::fstat(&inner).map_err(failed)?.st_dev != self.device {
                    let why = "another file system is mounted there";
                    return Err(Stop::Failed(HostError::BadPath { path, why }));
                }
                self.folder(&inner, &path, &below, depth + 1)?;
            }
        }
        Ok(())
    }
}

/// Restores extended attributes, except those that only the system may set.
pub fn set_xattrs(file: &OwnedFd, xattrs: &[(Bytes, Bytes)]) -> Result<(), Errno> {
    // `fsetxattr` fails on a handle that is not open for reading. The name under /proc refers to the same file.
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
    for (name, value) in xattrs {
        match rustix::fs::setxattr(&itself, &name.0[..], &value.0, rustix::fs::XattrFlags::empty()) {
            Ok(()) => {}
            Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP) if !is_ours(&name.0) => {}
            Err(errno) => return Err(errno),
        }
    }
    let Ok(length @ 1..) = rustix::fs::listxattr_query(&itself) else { return Ok(()) };
    let mut names = vec![0; length];
    let length = rustix::fs::listxattr(&itself, &mut names[..])?;
    for name in names[..length].split(|byte| *byte == 0).filter(|name| is_ours(name)) {
        if !xattrs.iter().any(|(kept, _)| kept.0 == name) {
            rustix::fs::removexattr(&itself, name)?;
        }
    }
    Ok(())
}
