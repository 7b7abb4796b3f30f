//! A commit's tree: checked as a whole, then written below one folder of workbench.
//!
//! Nothing is ever checked out: no filters, hooks, links or attributes act. Regular files and folders only; a name that
//! could mean something else to a file system, a shell or git refuses the whole tree and reports all offences. What the
//! user allows beyond that ends as regular files and folders too: a link as a copy, a submodule as the files in it.

use std::collections::{BTreeSet, HashSet};
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
use super::permit::Permit;
use super::submodule::Submodules;

/// What a tree may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLimits {
    pub entries: usize,
    /// Bytes of all files.
    pub total: u64,
    /// Bytes of one file.
    pub file: u64,
    pub depth: usize,
    pub shapes: Shapes,
}

/// What is taken beyond regular files and folders with plain names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shapes {
    /// Links and submodules that nothing else takes are left out instead of refused.
    pub without_links: bool,
    /// Links come as copies of what they lead to.
    pub copies: bool,
    pub submodules: bool,
    pub odd_names: bool,
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self { entries: 50_000, total: 256 << 20, file: 64 << 20, depth: 64, shapes: Shapes::default() }
    }
}

impl Shapes {
    /// What either takes.
    pub fn with(self, other: Self) -> Self {
        Self {
            without_links: self.without_links || other.without_links,
            copies: self.copies || other.copies,
            submodules: self.submodules || other.submodules,
            odd_names: self.odd_names || other.odd_names,
        }
    }
}

/// Something in a tree that refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offence {
    /// Printable.
    pub path: String,
    pub what: Offending,
}

/// Why an entry of a tree is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offending {
    Link,
    /// A link that is not copied: it leads out of the module, nowhere, or to its own folder.
    LinkOut,
    /// A link in an archive.
    ArchivedLink,
    Submodule,
    Name,
    GitName,
    Clash,
    /// Two entries of an archive have this name.
    Twice,
    Mode,
    Depth,
    FileSize,
    TotalSize,
    Entries,
    Unreadable,
}

impl Offending {
    /// What would let it in.
    pub fn permit(self) -> Option<Permit> {
        match self {
            Offending::Link => Some(Permit::Copies),
            Offending::LinkOut | Offending::ArchivedLink => Some(Permit::Links),
            Offending::Submodule => Some(Permit::Submodules),
            Offending::Name | Offending::Clash => Some(Permit::Names),
            _ => None,
        }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Offending::Link => "is a symbolic link",
            Offending::LinkOut => "is a symbolic link without a target in the module",
            Offending::ArchivedLink => "is a link",
            Offending::Submodule => "is a submodule",
            Offending::Name => "has an invalid file name",
            Offending::GitName => "has a name reserved by git",
            Offending::Clash => "differs from another name only in case",
            Offending::Twice => "is in it twice",
            Offending::Mode => "is not a file or folder",
            Offending::Depth => "is nested too deep",
            Offending::FileSize => "is too large",
            Offending::TotalSize => "exceeds the total size limit",
            Offending::Entries => "exceeds the limit of entries",
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
    /// What the user allows, and this tree needed.
    pub used: BTreeSet<Permit>,
}

#[derive(Debug)]
struct Planned {
    path: String,
    /// Where its content is: 0 for the module's own repository, then those of its submodules in their order.
    home: usize,
    blob: Oid,
    executable: bool,
}

/// The most offences that are reported.
const OFFENCES: usize = 100;

/// Reads and judges a tree. `submodules` brings those that the user allows.
pub fn judge(
    repository: &Repository,
    tree: Oid,
    limits: &TreeLimits,
    submodules: &mut Submodules<'_>,
) -> Result<Tree, FetchError> {
    let mut judge = Judge { limits, submodules, tree: Tree::default(), offences: Vec::new(), entries: 0 };
    judge.repository(repository, tree, 0, "", 0)?;
    if judge.offences.is_empty() {
        judge.tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(judge.tree)
    } else {
        Err(FetchError::Tree(judge.offences))
    }
}

struct Judge<'a, 's> {
    limits: &'a TreeLimits,
    submodules: &'a mut Submodules<'s>,
    tree: Tree,
    offences: Vec<Offence>,
    entries: usize,
}

/// One repository while its tree is walked.
struct Home<'a> {
    repository: &'a Repository,
    odb: Odb<'a>,
    root: Oid,
    number: usize,
}

/// A folder that is still to be read.
struct Waiting {
    /// Its future folder, with a slash at its end, or empty.
    path: String,
    /// Its folder in its repository: another one if a link led to it.
    real: String,
    tree: Oid,
    depth: usize,
}

impl Judge<'_, '_> {
    /// Walks one repository's tree, and those of its submodules after it.
    fn repository(
        &mut self,
        repository: &Repository,
        root: Oid,
        number: usize,
        below: &str,
        depth: usize,
    ) -> Result<(), FetchError> {
        let home = Home { repository, odb: repository.odb()?, root, number };
        let mut submodules = Vec::new();
        let mut folders = vec![Waiting { path: below.to_owned(), real: String::new(), tree: root, depth }];
        while let Some(folder) = folders.pop() {
            if !self.folder(&home, &folder, &mut folders, &mut submodules)? {
                return Ok(());
            }
        }
        for (path, real, commit, depth) in submodules {
            let (repository, tree, number) =
                self.submodules.bring(&home.blob_at(".gitmodules"), number, &real, commit)?;
            self.tree.folders.push(path.clone());
            self.repository(&repository, tree, number, &format!("{path}/"), depth + 1)?;
        }
        Ok(())
    }

    /// Judges all entries of one folder; `false` where there are too many to go on.
    fn folder(
        &mut self,
        home: &Home<'_>,
        folder: &Waiting,
        folders: &mut Vec<Waiting>,
        submodules: &mut Vec<(String, String, Oid, usize)>,
    ) -> Result<bool, FetchError> {
        let tree = home.repository.find_tree(folder.tree)?;
        let (mut names, mut exact) = (HashSet::new(), HashSet::new());
        for entry in tree.iter() {
            let name = entry.name_bytes();
            let shown = format!("{}{}", folder.path, crate::source::printable(&String::from_utf8_lossy(name)));
            self.entries += 1;
            if self.entries > self.limits.entries {
                self.offend(shown, Offending::Entries);
                return Ok(false);
            }
            if self.offences.len() >= OFFENCES {
                return Ok(false);
            }
            let Some(name) = self.name(name, &shown) else { continue };
            let is_new = exact.insert(name.to_owned());
            if !names.insert(name.to_lowercase()) {
                if !(is_new && self.limits.shapes.odd_names) {
                    self.offend(shown, Offending::Clash);
                    continue;
                }
                self.tree.used.insert(Permit::Names);
            }
            let (below, real) = (format!("{}{name}", folder.path), format!("{}{name}", folder.real));
            match entry.filemode_raw() {
                0o040_000 => self.enter(folders, below, real, entry.id(), folder.depth),
                mode @ (0o100_644 | 0o100_755 | 0o100_664) => self.file(home, below, entry.id(), mode == 0o100_755),
                0o120_000 if self.limits.shapes.copies => {
                    self.link(home, folder, folders, (below, real, shown), entry.id());
                }
                0o120_000 => self.leave_out(shown, Offending::Link),
                0o160_000 if self.limits.shapes.submodules => {
                    self.tree.used.insert(Permit::Submodules);
                    submodules.push((below, real, entry.id(), folder.depth));
                }
                0o160_000 => self.leave_out(shown, Offending::Submodule),
                _ => self.offend(shown, Offending::Mode),
            }
        }
        Ok(true)
    }

    /// A name that may be written.
    fn name<'n>(&mut self, name: &'n [u8], shown: &str) -> Option<&'n str> {
        match name_of(name, self.limits.shapes.odd_names) {
            Ok((name, is_odd)) => {
                if is_odd {
                    self.tree.used.insert(Permit::Names);
                }
                Some(name)
            }
            Err(what) => {
                self.offend(shown.to_owned(), what);
                None
            }
        }
    }

    fn enter(&mut self, folders: &mut Vec<Waiting>, below: String, real: String, tree: Oid, depth: usize) {
        if depth + 1 > self.limits.depth {
            return self.offend(below, Offending::Depth);
        }
        self.tree.folders.push(below.clone());
        folders.push(Waiting { path: format!("{below}/"), real: format!("{real}/"), tree, depth: depth + 1 });
    }

    /// Puts what a link leads to in its place.
    fn link(
        &mut self,
        home: &Home<'_>,
        folder: &Waiting,
        folders: &mut Vec<Waiting>,
        (below, real, shown): (String, String, String),
        link: Oid,
    ) {
        let led = home.follow(&folder.real, link);
        // A folder that holds the link would hold itself.
        let led = led.filter(|led| !format!("{real}/").starts_with(&format!("{}/", led.path)));
        let Some(led) = led else { return self.leave_out(shown, Offending::LinkOut) };
        self.tree.used.insert(Permit::Copies);
        match led.mode {
            0o040_000 => self.enter(folders, below, led.path, led.id, folder.depth),
            mode => self.file(home, below, led.id, mode == 0o100_755),
        }
    }

    fn file(&mut self, home: &Home<'_>, path: String, blob: Oid, executable: bool) {
        let size = match home.odb.read_header(blob) {
            Ok((size, ObjectType::Blob)) => size as u64,
            _ => return self.offend(path, Offending::Unreadable),
        };
        let is_over = self.tree.bytes > self.limits.total;
        self.tree.bytes = self.tree.bytes.saturating_add(size);
        if size > self.limits.file {
            self.offend(path, Offending::FileSize);
        } else if self.tree.bytes > self.limits.total {
            // Reported once: all that follow are too many as well.
            if !is_over {
                self.offend(path, Offending::TotalSize);
            }
        } else {
            self.tree.files.push(Planned { path, home: home.number, blob, executable });
        }
    }

    fn leave_out(&mut self, path: String, what: Offending) {
        if self.limits.shapes.without_links {
            self.tree.used.insert(Permit::Links);
            self.tree.left_out.push(Offence { path, what });
        } else {
            self.offend(path, what);
        }
    }

    fn offend(&mut self, path: String, what: Offending) {
        self.offences.push(Offence { path, what });
    }
}

/// What a link leads to.
struct Led {
    path: String,
    id: Oid,
    mode: i32,
}

impl Home<'_> {
    /// The text of a file in the tree; empty where there is none that could be read as text.
    fn blob_at(&self, path: &str) -> String {
        const MOST: usize = 1 << 20;
        let blob = self.repository.find_tree(self.root).ok().and_then(|tree| tree.get_path(path.as_ref()).ok());
        let is_small = |id| self.odb.read_header(id).is_ok_and(|(size, _)| size <= MOST);
        let blob = blob.filter(|entry| is_small(entry.id())).and_then(|e| self.repository.find_blob(e.id()).ok());
        blob.map(|blob| String::from_utf8_lossy(blob.content()).into_owned()).unwrap_or_default()
    }

    /// Follows a link in a folder, and the links behind it, as long as they stay in the tree.
    fn follow(&self, folder: &str, link: Oid) -> Option<Led> {
        const LONGEST: usize = 4_096;
        const LINKS: usize = 8;
        let (mut folder, mut link) = (folder.to_owned(), link);
        for _ in 0..LINKS {
            let (size, _) = self.odb.read_header(link).ok()?;
            let blob = self.repository.find_blob(link).ok().filter(|_| size <= LONGEST)?;
            let path = joined(&folder, std::str::from_utf8(blob.content()).ok()?)?;
            let tree = self.repository.find_tree(self.root).ok()?;
            let entry = tree.get_path(path.as_ref()).ok()?;
            match entry.filemode_raw() {
                mode @ (0o040_000 | 0o100_644 | 0o100_755 | 0o100_664) => {
                    return Some(Led { path, id: entry.id(), mode });
                }
                0o120_000 => {
                    link = entry.id();
                    folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
                }
                _ => return None,
            }
        }
        None
    }
}

/// Resolves a relative path. `None` if it leaves the tree or is its root.
fn joined(folder: &str, to: &str) -> Option<String> {
    if to.starts_with('/') || to.contains('\0') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Whether a name means one file and nothing else wherever it lands, to git too.
pub fn is_portable_name(name: &str) -> bool {
    plain_name(name.as_bytes()).is_some() && !is_gits_own(name)
}

/// A name that may be written, and whether that is so only because odd names are allowed.
pub(super) fn name_of(name: &[u8], is_odd_allowed: bool) -> Result<(&str, bool), Offending> {
    match (plain_name(name), odd_name(name).filter(|_| is_odd_allowed)) {
        (Some(name), _) | (None, Some(name)) if is_gits_own(name) => Err(Offending::GitName),
        (Some(name), _) => Ok((name, false)),
        (None, Some(name)) => Ok((name, true)),
        (None, None) => Err(Offending::Name),
    }
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

/// A name that means one file here, and perhaps another or none elsewhere.
fn odd_name(name: &[u8]) -> Option<&str> {
    const LONGEST: usize = 255;
    let name = std::str::from_utf8(name).ok()?;
    let is_one = !name.is_empty()
        && name.len() <= LONGEST
        && !matches!(name, "." | "..")
        && !name.contains('/')
        && !name.chars().any(crate::source::is_hostile);
    is_one.then_some(name)
}

/// `.git` and the names that some file systems treat as equal.
fn is_gits_own(name: &str) -> bool {
    let stem = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let plain: String = stem.chars().filter(char::is_ascii).collect::<String>().to_lowercase();
    let short = plain.split_once('~').is_some_and(|(stem, number)| {
        matches!(stem, "git" | ".git") && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    plain == ".git" || short
}

impl Tree {
    /// Returns the number of files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Writes all files below an empty folder and returns their hash. Follows no link and replaces no file.
    /// `homes` are the repositories that the contents are in.
    pub fn write(&self, homes: &[&Repository], folder: &OwnedFd) -> Result<TreeHash, FetchError> {
        let odbs = homes.iter().map(|home| home.odb()).collect::<Result<Vec<_>, _>>()?;
        let mut folders = self.folders.clone();
        folders.sort();
        folders.iter().try_for_each(|path| make_folder(folder.as_fd(), path))?;
        let mut hash = TreeHash::builder();
        for file in &self.files {
            let odb = odbs.get(file.home).ok_or_else(|| FetchError::Git("a submodule is missing".into()))?;
            hash.add(&self.write_file(odb, folder.as_fd(), file)?);
        }
        Ok(hash.finish())
    }

    fn write_file(&self, odb: &Odb<'_>, folder: BorrowedFd<'_>, file: &Planned) -> Result<Entry, FetchError> {
        let failed = |error: &dyn fmt::Display| FetchError::Disk { path: file.path.clone(), reason: error.to_string() };
        let mut out = create_file(folder, &file.path, file.executable)?;
        let object = odb.read(file.blob)?;
        out.write_all(object.data()).map_err(|error| failed(&error))?;
        let content = Hex(Sha256::digest(object.data()).into());
        Ok(Entry { path: file.path.clone(), executable: file.executable, content })
    }
}

/// Makes a file that is not there, through no link.
pub(super) fn create_file(root: BorrowedFd<'_>, path: &str, executable: bool) -> Result<File, FetchError> {
    let (parent, name) = open_parent(root, path)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(if executable { 0o755 } else { 0o644 });
    let opened = openat(parent.fd(root), name, flags, mode);
    opened.map(File::from).map_err(|error| FetchError::Disk { path: path.to_owned(), reason: error.to_string() })
}

fn make_folder(root: BorrowedFd<'_>, path: &str) -> Result<(), FetchError> {
    let (parent, name) = open_parent(root, path)?;
    mkdirat(parent.fd(root), name, Mode::from_raw_mode(0o755))
        .map_err(|error| FetchError::Disk { path: path.to_owned(), reason: error.to_string() })
}

/// Makes the folders above some files, below an empty one.
pub(super) fn make_folders<'p>(root: BorrowedFd<'_>, files: impl Iterator<Item = &'p str>) -> Result<(), FetchError> {
    let above = |path: &'p str| path.match_indices('/').map(|(at, _)| &path[..at]).collect::<Vec<_>>();
    let folders: BTreeSet<&str> = files.flat_map(above).collect();
    folders.into_iter().try_for_each(|path| make_folder(root, path))
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
        for name in [".git", ".GIT", "git~1", ".g\u{200c}it", ".Git", ".git. .", ".git::$DATA", "GIT~12"] {
            assert!(is_gits_own(name), "{name:?}");
        }
        for name in [".gitignore", "git", ".github", "digit~1x"] {
            assert!(!is_gits_own(name), "{name:?}");
        }
    }

    #[test]
    fn links_stay_in_the_tree() {
        assert_eq!(joined("a/b/", "../c").as_deref(), Some("a/c"));
        assert_eq!(joined("", "./x//y").as_deref(), Some("x/y"));
        for (folder, to) in [("a/", "../.."), ("", ".."), ("a/", "/etc/passwd"), ("a/", ".."), ("", ""), ("", "a\0")] {
            assert_eq!(joined(folder, to), None, "{folder:?} {to:?}");
        }
    }
}
