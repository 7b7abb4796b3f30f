//! What a folder holds: a copy of its source, and nothing unmanaged where it is purged.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::kind::change;
use super::super::{Aliases, Seen, Turn};
use super::Target;
use crate::host::{FileKind, HostError, Look, Operation, Owner, Stat};
use crate::plan::{Action, Reversible};

/// Deeper source trees are refused; a link cannot lead here, but a mistake can.
const DEPTH: usize = 64;

/// So many differences are shown one by one.
const SHOWN: usize = 100;

/// Adds what is missing, different or too much below a folder.
pub(super) fn sync(
    turn: &Turn,
    target: &Target,
    look: &dyn Look,
    is_new: bool,
    seen: &mut Seen,
) -> Result<(), HostError> {
    let source = turn.text("source")?.map(PathBuf::from);
    let purge = turn.flag("purge")?;
    if source.is_none() && !purge {
        return Ok(());
    }
    let mask = !look.identity().umask;
    let mut sync =
        Sync { turn, look, mask, force: target.force, recurse: target.recurse, purge, seen, count: 0, left: 0 };
    sync.folder(source.as_deref(), &target.path, is_new, Path::new(""), 0)?;
    let (count, left) = (sync.count, sync.left);
    if count > 0 && seen.action == Action::None {
        seen.action = Action::Change;
    }
    if count > SHOWN {
        seen.note = format!("and {} more differences", count - SHOWN);
    } else if left > 0 && seen.note.is_empty() {
        seen.note = format!("{left} folders of the source are skipped without `recurse`");
    }
    Ok(())
}

struct Sync<'a, 't> {
    turn: &'a Turn<'t>,
    look: &'a dyn Look,
    /// What new things may have of their source's mode.
    mask: u32,
    force: bool,
    recurse: bool,
    purge: bool,
    seen: &'a mut Seen,
    count: usize,
    /// Folders that `recurse` would have taken along.
    left: usize,
}

impl Sync<'_, '_> {
    fn differs(&mut self, below: &Path, from: Option<&str>, to: Option<&str>, operation: Operation) {
        self.count += 1;
        if self.count <= SHOWN {
            let property = below.to_string_lossy();
            self.seen.changes.push(change(&property, from.map(str::to_owned), to.map(str::to_owned)));
        }
        self.seen.operations.push(operation);
    }

    fn folder(
        &mut self,
        source: Option<&Path>,
        path: &Path,
        is_new: bool,
        below: &Path,
        depth: usize,
    ) -> Result<(), HostError> {
        if depth > DEPTH {
            return Err(HostError::BadPath { path: path.into(), why: "it is nested too deep in its source" });
        }
        let mut kept = BTreeSet::new();
        if let Some(source) = source {
            for name in list_source(self.look, source)? {
                self.entry(&source.join(&name), &path.join(&name), is_new, &below.join(&name), depth)?;
                kept.insert(name);
            }
        }
        if self.purge && !is_new {
            self.purge(path, below, &kept)?;
        }
        Ok(())
    }

    /// Makes one entry as its source is.
    fn entry(&mut self, from: &Path, path: &Path, is_new: bool, below: &Path, depth: usize) -> Result<(), HostError> {
        // Removed since the folder was listed: as if it had never been there.
        let Some(source) = self.look.stat(from)? else { return Ok(()) };
        let there = if is_new { None } else { self.look.stat(path)? };
        match source.kind {
            FileKind::Other => {
                let (found, wanted) = (source.kind.words(), "a file, folder or link");
                Err(HostError::WrongKind { path: from.into(), found, wanted, hint_text: "" })
            }
            FileKind::Dir if !self.recurse => {
                self.left += 1;
                Ok(())
            }
            FileKind::Dir => {
                let is_fresh = !matches!(there, Some(Stat { kind: FileKind::Dir, .. }));
                if is_fresh {
                    self.make_room(path, below, there, FileKind::Dir)?;
                    let (path, mode) = (path.to_path_buf(), source.mode & 0o777 & self.mask);
                    let make = Operation::MakeDir { path, mode, owner: Owner::default() };
                    self.differs(below, None, Some("a folder"), make);
                }
                self.folder(Some(from), path, is_fresh, below, depth + 1)
            }
            FileKind::Link => {
                let target = self.look.read_link(from)?;
                if matches!(there, Some(Stat { kind: FileKind::Link, .. })) && self.look.read_link(path)? == target {
                    return Ok(());
                }
                self.make_room(path, below, there, FileKind::Link)?;
                let shown = format!("→ {}", target.to_string_lossy());
                self.differs(below, None, Some(&shown), Operation::MakeLink { path: path.into(), target });
                Ok(())
            }
            FileKind::File => {
                let (mut mode, mut owner) = (source.mode & 0o777 & self.mask, Owner::default());
                let had = match there {
                    Some(stat) if stat.kind == FileKind::File => {
                        if self.look.same(from, path)? == Some(true) {
                            return Ok(());
                        }
                        mode = stat.mode;
                        owner = Owner { uid: Some(stat.uid), gid: Some(stat.gid) };
                        Some("different content")
                    }
                    other => {
                        self.make_room(path, below, other, FileKind::File)?;
                        None
                    }
                };
                let copy = Operation::CopyFile { from: from.into(), path: path.into(), mode, owner };
                self.differs(below, had, Some("as in the source"), copy);
                Ok(())
            }
        }
    }

    /// Removes what is in the way, where `force` allows it.
    fn make_room(&mut self, path: &Path, below: &Path, there: Option<Stat>, wanted: FileKind) -> Result<(), HostError> {
        let Some(stat) = there else { return Ok(()) };
        if !self.force {
            let (found, wanted) = (stat.kind.words(), wanted.words());
            return Err(HostError::WrongKind { path: path.into(), found, wanted, hint_text: super::FORCE });
        }
        self.remove(path, below, stat);
        Ok(())
    }

    fn remove(&mut self, path: &Path, below: &Path, stat: Stat) {
        let path = path.to_path_buf();
        let operation = match stat.kind {
            FileKind::Dir => {
                self.seen.reversible = Reversible::Partly;
                Operation::RemoveTree { path }
            }
            _ => Operation::RemoveFile { path },
        };
        self.differs(below, Some(stat.kind.words()), None, operation);
    }

    /// Removes what neither the source nor another resource put there.
    fn purge(&mut self, path: &Path, below: &Path, kept: &BTreeSet<OsString>) -> Result<(), HostError> {
        let Some(folders) = Aliases::new(self.look, std::iter::empty()).all(path) else {
            let why = "too many symbolic links point to it to know which of its files are managed";
            return Err(HostError::BadPath { path: path.into(), why });
        };
        for name in self.look.list(path)? {
            let entry = path.join(&name);
            let is_managed = || folders.iter().any(|folder| self.turn.managed.holds(&folder.join(&name)));
            if kept.contains(&name) || is_managed() {
                continue;
            }
            if let Some(stat) = self.look.stat(&entry)? {
                self.remove(&entry, &below.join(&name), stat);
            }
        }
        Ok(())
    }
}

fn list_source(look: &dyn Look, source: &Path) -> Result<Vec<OsString>, HostError> {
    match look.stat_target(source)? {
        None => Err(HostError::Missing { path: source.into() }),
        Some(_) => look.list(source),
    }
}
