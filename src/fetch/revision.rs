//! A revision of a git repository as a world: paths in its work tree are read from the revision, all others as before.
//!
//! Files that git ignores, such as fetched modules, are no part of any revision and are read from the disk.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use git2::{ErrorCode, ObjectType, Oid, Repository};

use crate::world::{PathKind, Read, ReadError, Sample, World};

/// Larger files are not read, as on the disk.
const FILE_LIMIT: u64 = 64 << 20;

/// More links are a loop.
const LINKS: usize = 40;

/// Why a revision cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    #[error("no revision `{name}` in {}", .repository.display())]
    Unknown { name: String, repository: PathBuf },
    #[error("cannot read the revision `{name}`: {why}")]
    Unreadable { name: String, why: String },
}

/// The work tree of a repository as it is in one revision.
pub struct Revision {
    inner: Arc<dyn World>,
    /// The work tree's folder, without links.
    root: PathBuf,
    folder: PathBuf,
    repository: Mutex<Repository>,
    tree: Oid,
    commit: String,
}

/// An entry of the revision's tree.
enum TreeEntry {
    Missing,
    Tree(Oid),
    File(Oid),
    Link(Oid),
    /// A link out of the work tree leads here.
    Outside(PathBuf),
}

impl Revision {
    /// Opens a revision, by any name that git knows for it, of the repository around a folder.
    pub fn open(inner: Arc<dyn World>, folder: &Path, name: &str) -> Result<Self, RevisionError> {
        let repository = Repository::discover(folder).map_err(|_| RevisionError::NoRepository(folder.into()))?;
        let root = repository.workdir().unwrap_or(repository.path()).to_path_buf();
        let unknown = || RevisionError::Unknown { name: name.into(), repository: root.clone() };
        let unreadable =
            |error: git2::Error| RevisionError::Unreadable { name: name.into(), why: error.message().to_owned() };
        let (tree, commit) = {
            let object = repository.revparse_single(name).map_err(|error| match error.code() {
                ErrorCode::NotFound | ErrorCode::InvalidSpec | ErrorCode::Ambiguous => unknown(),
                _ => unreadable(error),
            })?;
            let tree = object.peel_to_tree().map_err(|_| unknown())?.id();
            let commit = object.peel(ObjectType::Commit).map_or(tree, |commit| commit.id());
            (tree, commit.to_string())
        };
        let clean = |path: &Path| path.components().collect::<PathBuf>();
        Ok(Self { inner, root: clean(&root), folder: clean(folder), repository: Mutex::new(repository), tree, commit })
    }

    /// The folder of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The hash of the commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// The parts of a path below the root; `None` if it is not there.
    fn inside(&self, path: &Path) -> Option<Vec<String>> {
        let mut parts: Vec<Component<'_>> = Vec::new();
        let absolute = self.folder.join(path);
        for part in absolute.components() {
            match part {
                Component::ParentDir => {
                    parts.pop();
                }
                Component::CurDir => {}
                part => parts.push(part),
            }
        }
        let cleaned: PathBuf = parts.into_iter().collect();
        let inside = cleaned.strip_prefix(&self.root).ok()?;
        let parts: Option<Vec<String>> =
            inside.components().map(|part| part.as_os_str().to_str().map(str::to_owned)).collect();
        parts.filter(|parts| parts.first().is_none_or(|first| first != ".git"))
    }

    fn find(&self, repository: &Repository, parts: &[String], follows: bool) -> Result<TreeEntry, git2::Error> {
        let mut rest: Vec<String> = parts.iter().rev().cloned().collect();
        let (mut done, mut links): (Vec<(String, Oid)>, usize) = (Vec::new(), 0);
        while let Some(part) = rest.pop() {
            if part == ".." {
                if done.pop().is_none() {
                    let outside = rest.iter().rev().fold(self.root.join(".."), |path, part| path.join(part));
                    return Ok(TreeEntry::Outside(outside));
                }
                continue;
            }
            let here = done.last().map_or(self.tree, |(_, tree)| *tree);
            let tree = repository.find_tree(here)?;
            let Some(entry) = tree.get_name(&part) else { return Ok(TreeEntry::Missing) };
            match (entry.kind(), entry.filemode()) {
                (Some(ObjectType::Tree), _) => done.push((part, entry.id())),
                (Some(ObjectType::Blob), 0o120_000) => {
                    if rest.is_empty() && !follows {
                        return Ok(TreeEntry::Link(entry.id()));
                    }
                    links += 1;
                    let target = repository.find_blob(entry.id())?;
                    let target = PathBuf::from(String::from_utf8_lossy(target.content()).into_owned());
                    if links > LINKS {
                        return Ok(TreeEntry::Missing);
                    }
                    if target.is_absolute() {
                        return Ok(TreeEntry::Outside(rest.iter().rev().fold(target, |path, part| path.join(part))));
                    }
                    let parts = target.components().filter(|part| *part != Component::CurDir);
                    rest.extend(parts.rev().map(|part| part.as_os_str().to_string_lossy().into_owned()));
                }
                (Some(ObjectType::Blob), _) if rest.is_empty() => return Ok(TreeEntry::File(entry.id())),
                // A submodule is a commit of another repository.
                _ => return Ok(TreeEntry::Missing),
            }
        }
        Ok(TreeEntry::Tree(done.last().map_or(self.tree, |(_, tree)| *tree)))
    }

    fn answer(&self, what: &Read, path: &Path, parts: &[String]) -> Result<Sample, ReadError> {
        let repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error: git2::Error| ReadError::Failed { path: path.into(), reason: error.message().to_owned() };
        let found = self.find(&repository, parts, !matches!(what, Read::Link(_))).map_err(failed)?;
        let ignored = || !parts.is_empty() && repository.is_path_ignored(parts.join("/")).unwrap_or(false);
        match (what, found) {
            (_, TreeEntry::Missing) if ignored() => {
                drop(repository);
                self.inner.read(what)
            }
            (Read::Kind(_), TreeEntry::Outside(path)) => self.inner.read(&Read::Kind(path)),
            (Read::Folder(_), TreeEntry::Outside(path)) => self.inner.read(&Read::Folder(path)),
            (Read::File(_), TreeEntry::Outside(path)) => self.inner.read(&Read::File(path)),
            (Read::Kind(_), found) => Ok(Sample::Kind(match found {
                TreeEntry::Tree(_) => PathKind::Folder,
                TreeEntry::File(_) | TreeEntry::Link(_) => PathKind::File,
                _ => PathKind::Missing,
            })),
            (Read::File(_), TreeEntry::File(id)) => {
                let size = repository.odb().and_then(|odb| odb.read_header(id)).map_err(failed)?.0;
                if size as u64 > FILE_LIMIT {
                    return Err(ReadError::TooLarge { path: path.into(), limit: FILE_LIMIT });
                }
                Ok(Sample::Bytes(repository.find_blob(id).map_err(failed)?.content().into()))
            }
            (Read::Folder(_), TreeEntry::Tree(id)) => {
                let tree = repository.find_tree(id).map_err(failed)?;
                let mut names: Vec<String> =
                    tree.iter().filter_map(|entry| entry.name().ok().map(str::to_owned)).collect();
                names.sort_unstable();
                Ok(Sample::Names(names))
            }
            (Read::Link(_), TreeEntry::Link(id)) => {
                let target = repository.find_blob(id).map_err(failed)?;
                Ok(Sample::Path(String::from_utf8_lossy(target.content()).into_owned().into()))
            }
            (Read::File(_), TreeEntry::Tree(_)) => {
                Err(ReadError::Failed { path: path.into(), reason: "is a folder".into() })
            }
            (Read::Folder(_) | Read::Link(_), TreeEntry::File(_)) => {
                Err(ReadError::Failed { path: path.into(), reason: "is a file".into() })
            }
            _ => Err(ReadError::NotFound(path.into())),
        }
    }
}

impl World for Revision {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        match what {
            Read::File(path) | Read::Kind(path) | Read::Folder(path) | Read::Link(path) => match self.inside(path) {
                Some(parts) => self.answer(what, path, &parts),
                None => self.inner.read(what),
            },
            other => self.inner.read(other),
        }
    }

    fn note(&self, file: &str, line: u32) {
        self.inner.note(file, line);
    }
}
