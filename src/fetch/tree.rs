//! A commit's tree, judged whole before any of it is written, and then written below one folder that is ours.
//!
//! Nothing is ever checked out: no filters, hooks, links or attributes act. Regular files and folders only; a name that
//! could mean something else to a file system, a shell or git refuses the whole tree, with all offences told.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use git2::{ObjectType, Odb, Oid, Repository};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::FetchError;
use super::hash::{Entry, Hex, TreeHash};

/// What a tree may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLimits {
    pub entries: usize,
    /// Bytes of all files.
    pub total: u64,
    /// Bytes of one file.
    pub file: u64,
    pub depth: usize,
    /// Links and submodules are left out instead of refused.
    pub leave_out_links: bool,
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self { entries: 50_000, total: 256 << 20, file: 64 << 20, depth: 64, leave_out_links: false }
    }
}

/// Something in a tree that refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offence {
    /// Printable.
    pub path: String,
    pub what: Offending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offending {
    Link,
    Submodule,
    Name,
    GitName,
    Clash,
    Mode,
    Depth,
    FileSize,
    TotalSize,
    Entries,
    Unreadable,
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Offending::Link => "is a symbolic link",
            Offending::Submodule => "is a submodule",
            Offending::Name => "has a name that is no plain file name",
            Offending::GitName => "has a name that git keeps for itself",
            Offending::Clash => "has the same name as another but for its case",
            Offending::Mode => "is neither a file nor a folder",
            Offending::Depth => "lies too deep",
            Offending::FileSize => "is too large",
            Offending::TotalSize => "makes the whole too large",
            Offending::Entries => "is one entry too many",
            Offending::Unreadable => "cannot be read",
        };
        write!(f, "`{}` {what}", self.path)
    }
}

/// A tree that may be written: its files in order, each with its folder before it.
#[derive(Debug, Default)]
pub struct Tree {
    files: Vec<Planned>,
    folders: Vec<String>,
    pub bytes: u64,
    /// What was left out by the user's leave.
    pub left_out: Vec<Offence>,
}

#[derive(Debug)]
struct Planned {
    path: String,
    blob: Oid,
    executable: bool,
}

/// How many offences are told; more would be a flood of its own.
const OFFENCES: usize = 100;

/// Reads and judges a tree.
pub fn judge(repository: &Repository, tree: Oid, limits: &TreeLimits) -> Result<Tree, FetchError> {
    let odb = repository.odb()?;
    let mut judge = Judge { repository, odb: &odb, limits, tree: Tree::default(), offences: Vec::new(), entries: 0 };
    judge.folder(tree)?;
    if judge.offences.is_empty() {
        judge.tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(judge.tree)
    } else {
        Err(FetchError::Tree(judge.offences))
    }
}

struct Judge<'a> {
    repository: &'a Repository,
    odb: &'a Odb<'a>,
    limits: &'a TreeLimits,
    tree: Tree,
    offences: Vec<Offence>,
    entries: usize,
}

impl Judge<'_> {
    fn folder(&mut self, root: Oid) -> Result<(), FetchError> {
        let mut folders = vec![(String::new(), root, 0)];
        while let Some((path, oid, depth)) = folders.pop() {
            let tree = self.repository.find_tree(oid)?;
            let mut names = HashSet::new();
            for entry in tree.iter() {
                let name = entry.name_bytes();
                let shown = format!("{path}{}", crate::source::printable(&String::from_utf8_lossy(name)));
                self.entries += 1;
                if self.entries > self.limits.entries {
                    self.offend(shown, Offending::Entries);
                    return Ok(());
                }
                if self.offences.len() >= OFFENCES {
                    return Ok(());
                }
                let Some(name) = plain_name(name) else {
                    self.offend(shown, Offending::Name);
                    continue;
                };
                if is_gits_own(name) {
                    self.offend(shown, Offending::GitName);
                    continue;
                }
                if !names.insert(name.to_lowercase()) {
                    self.offend(shown, Offending::Clash);
                    continue;
                }
                let below = format!("{path}{name}");
                match entry.filemode_raw() {
                    0o040_000 if depth + 1 > self.limits.depth => self.offend(shown, Offending::Depth),
                    0o040_000 => {
                        self.tree.folders.push(below.clone());
                        folders.push((format!("{below}/"), entry.id(), depth + 1));
                    }
                    mode @ (0o100_644 | 0o100_755 | 0o100_664) => self.file(below, entry.id(), mode == 0o100_755),
                    0o120_000 => self.leave_out(shown, Offending::Link),
                    0o160_000 => self.leave_out(shown, Offending::Submodule),
                    _ => self.offend(shown, Offending::Mode),
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, path: String, blob: Oid, executable: bool) {
        let size = match self.odb.read_header(blob) {
            Ok((size, ObjectType::Blob)) => size as u64,
            _ => return self.offend(path, Offending::Unreadable),
        };
        let is_over = self.tree.bytes > self.limits.total;
        self.tree.bytes = self.tree.bytes.saturating_add(size);
        if size > self.limits.file {
            self.offend(path, Offending::FileSize);
        } else if self.tree.bytes > self.limits.total {
            // Told once: all that follow are too many as well.
            if !is_over {
                self.offend(path, Offending::TotalSize);
            }
        } else {
            self.tree.files.push(Planned { path, blob, executable });
        }
    }

    fn leave_out(&mut self, path: String, what: Offending) {
        if self.limits.leave_out_links {
            self.tree.left_out.push(Offence { path, what });
        } else {
            self.offend(path, what);
        }
    }

    fn offend(&mut self, path: String, what: Offending) {
        self.offences.push(Offence { path, what });
    }
}

/// Whether a name means one file and nothing else wherever it lands, to git too.
pub fn is_portable_name(name: &str) -> bool {
    plain_name(name.as_bytes()).is_some() && !is_gits_own(name)
}

/// A name that means one file and nothing else wherever it lands.
fn plain_name(name: &[u8]) -> Option<&str> {
    const LONGEST: usize = 255;
    let name = std::str::from_utf8(name).ok()?;
    let is_plain = !name.is_empty()
        && name.len() <= LONGEST
        && !matches!(name, "." | "..")
        && !name.contains(['/', '\\', ':'])
        && !name.starts_with('-')
        && !name.ends_with(['.', ' '])
        && !name.chars().any(crate::source::is_hostile);
    is_plain.then_some(name)
}

/// `.git`, and what some file systems take for it.
fn is_gits_own(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii).collect::<String>().to_lowercase();
    let short = plain.split_once('~').is_some_and(|(stem, number)| {
        matches!(stem, "git" | ".git") && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    plain == ".git" || short
}

impl Tree {
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Writes all files below an empty folder, and gives the hash of what was written. Nothing is followed or replaced.
    pub fn write(&self, repository: &Repository, folder: &OwnedFd) -> Result<TreeHash, FetchError> {
        let odb = repository.odb()?;
        let mut folders = self.folders.clone();
        folders.sort();
        for path in &folders {
            let (parent, name) = open_parent(folder.as_fd(), path)?;
            mkdirat(parent.fd(folder.as_fd()), name, Mode::from_raw_mode(0o755))
                .map_err(|error| FetchError::Disk { path: path.clone(), reason: error.to_string() })?;
        }
        let mut hash = TreeHash::builder();
        for file in &self.files {
            hash.add(&self.write_file(&odb, folder.as_fd(), file)?);
        }
        Ok(hash.finish())
    }

    fn write_file(&self, odb: &Odb<'_>, folder: BorrowedFd<'_>, file: &Planned) -> Result<Entry, FetchError> {
        let failed = |error: &dyn fmt::Display| FetchError::Disk { path: file.path.clone(), reason: error.to_string() };
        let (parent, name) = open_parent(folder, &file.path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(if file.executable { 0o755 } else { 0o644 });
        let opened = openat(parent.fd(folder), name, flags, mode).map_err(|error| failed(&error))?;
        let object = odb.read(file.blob)?;
        let mut out = File::from(opened);
        out.write_all(object.data()).map_err(|error| failed(&error))?;
        let content = Hex(Sha256::digest(object.data()).into());
        Ok(Entry { path: file.path.clone(), executable: file.executable, content })
    }
}

/// The folder of a path, opened step by step through no link.
enum Parent {
    Root,
    Below(OwnedFd),
}

impl Parent {
    fn fd<'a>(&'a self, root: BorrowedFd<'a>) -> BorrowedFd<'a> {
        match self {
            Parent::Root => root,
            Parent::Below(fd) => fd.as_fd(),
        }
    }
}

fn open_parent<'p>(root: BorrowedFd<'_>, path: &'p str) -> Result<(Parent, &'p str), FetchError> {
    let Some((folders, name)) = path.rsplit_once('/') else { return Ok((Parent::Root, path)) };
    let mut at = Parent::Root;
    for part in folders.split('/') {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let next = openat(at.fd(root), part, flags, Mode::empty())
            .map_err(|error| FetchError::Disk { path: path.to_owned(), reason: error.to_string() })?;
        at = Parent::Below(next);
    }
    Ok((at, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_are_no_names() {
        for name in ["", ".", "..", "a/b", "a\\b", "-rf", "a\n", "a\u{1b}[2J", "a.", "a ", "c:", "a\u{202e}b"] {
            assert_eq!(plain_name(name.as_bytes()), None, "{name:?}");
        }
        assert_eq!(plain_name(b"\xff"), None);
        assert_eq!(plain_name("é.mcl".as_bytes()), Some("é.mcl"));
        for name in [".git", ".GIT", "git~1", ".g\u{200c}it", ".Git"] {
            assert!(is_gits_own(name), "{name:?}");
        }
        for name in [".gitignore", "git", ".github", "digit~1x"] {
            assert!(!is_gits_own(name), "{name:?}");
        }
    }
}
