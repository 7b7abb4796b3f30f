//! The contents of a folder: a copy of its source, without unmanaged files if it is purged.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::kind::change;
use super::super::{Aliases, Checked, Turn};
use super::Target;
use super::attributes::Attributes;
use super::params::FileParams;
use crate::host::{FileKind, HostError, Look, Operation, Owner, Stat};
use crate::plan::{Action, Change, Reversible};

/// Deeper source trees are refused. Links cannot cause them, but mistakes can.
const DEPTH: usize = 64;

/// The number of differences to list.
const SHOWN: usize = 100;

/// Adds the work for missing, different and extra entries below a folder.
pub(super) fn sync(
    turn: &Turn,
    target: &Target,
    look: &dyn Look,
    is_new: bool,
    seen: &mut Checked,
) -> Result<(), HostError> {
    let params: &FileParams = turn.typed.get()?;
    let source = params.source.get()?.map(PathBuf::from);
    let purge = params.purge.flag()?;
    let deep = if params.deep.flag()? { Some(Attributes::read(turn, look)?) } else { None };
    if source.is_none() && !purge && deep.is_none() {
        return Ok(());
    }
    let mut sync = Sync {
        turn,
        look,
        mask: !look.identity().umask,
        force: target.force,
        recurse: target.recurse,
        keep_folders: params.keep_folders.flag()?,
        purge,
        deep,
        seen,
        count: 0,
        left: 0,
    };
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
    /// The bits of the source's mode that a new entry may have.
    mask: u32,
    force: bool,
    recurse: bool,
    purge: bool,
    /// A purge keeps folders without `force`.
    keep_folders: bool,
    /// Mode, owner and group of all entries below.
    deep: Option<Attributes>,
    seen: &'a mut Checked,
    count: usize,
    /// The number of folders that only `recurse` would copy.
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
            self.purge(path, below, &kept, depth)?;
        }
        if self.deep.is_some() && source.is_none() && !is_new {
            self.attributes_below(path, below, depth)?;
        }
        Ok(())
    }

    /// Sets mode, owner and group of the entries in a folder without a source.
    fn attributes_below(&mut self, path: &Path, below: &Path, depth: usize) -> Result<(), HostError> {
        for name in self.look.list(path)? {
            let entry = path.join(&name);
            let is_gone = || {
                self.seen.operations.iter().any(|done| {
                    let removes = matches!(done, Operation::RemoveTree { .. } | Operation::RemoveFile { .. });
                    removes && done.path() == Some(entry.as_path())
                })
            };
            if is_gone() || self.turn.managed.holds(&entry) {
                continue;
            }
            let Some(stat) = self.look.stat(&entry)? else { continue };
            if matches!(stat.kind, FileKind::File | FileKind::Dir) {
                self.attributes(&entry, &below.join(&name), &stat)?;
            }
            if stat.kind == FileKind::Dir {
                self.folder(None, &entry, false, &below.join(&name), depth + 1)?;
            }
        }
        Ok(())
    }

    /// Sets mode, owner and group of one existing entry.
    fn attributes(&mut self, path: &Path, below: &Path, stat: &Stat) -> Result<(), HostError> {
        let Some(deep) = &self.deep else { return Ok(()) };
        let folder = if stat.kind == FileKind::Dir { Some(deep.clone().of_folder(self.turn)?) } else { None };
        let seen = folder.as_ref().unwrap_or(deep).differences(path, stat, self.look)?;
        if !seen.changes.is_empty() {
            self.count += 1;
        }
        if self.count <= SHOWN {
            let shown = seen
                .changes
                .into_iter()
                .map(|change| Change { property: format!("{}: {}", below.display(), change.property), ..change });
            self.seen.changes.extend(shown);
        }
        self.seen.operations.extend(seen.operations);
        Ok(())
    }

    /// Returns mode and owner of a new entry: the desired ones, or the source's.
    fn of_new(&self, kind: FileKind, source: u32) -> Result<(u32, Owner), HostError> {
        let usual = source & 0o777 & self.mask;
        let Some(deep) = &self.deep else { return Ok((usual, Owner::default())) };
        let wanted = if kind == FileKind::Dir { deep.clone().of_folder(self.turn)? } else { deep.clone() };
        Ok((wanted.mode.as_ref().map_or(usual, |mode| mode.over(usual)), wanted.owner))
    }

    /// Makes one entry like its source.
    fn entry(&mut self, from: &Path, path: &Path, is_new: bool, below: &Path, depth: usize) -> Result<(), HostError> {
        // Removed since the folder was listed: ignore it.
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
                match there.filter(|_| !is_fresh) {
                    Some(stat) => self.attributes(path, below, &stat)?,
                    None => {
                        self.make_room(path, below, there, FileKind::Dir)?;
                        let (mode, owner) = self.of_new(FileKind::Dir, source.mode)?;
                        let make = Operation::MakeDir { path: path.into(), mode, owner };
                        self.differs(below, None, Some("a folder"), make);
                    }
                }
                self.folder(Some(from), path, is_fresh, below, depth + 1)
            }
            FileKind::Link => {
                let target = self.look.read_link(from)?;
                if matches!(there, Some(Stat { kind: FileKind::Link, .. })) && self.look.read_link(path)? == target {
                    return Ok(());
                }
                self.make_room(path, below, there, FileKind::Link)?;
                let shown = format!("{}{}", super::LINK_TO, target.to_string_lossy());
                self.differs(below, None, Some(&shown), Operation::MakeLink { path: path.into(), target });
                Ok(())
            }
            FileKind::File => {
                let (mut mode, mut owner) = self.of_new(FileKind::File, source.mode)?;
                let had = match there {
                    Some(stat) if stat.kind == FileKind::File => {
                        if self.look.same(from, path)? == Some(true) {
                            return self.attributes(path, below, &stat);
                        }
                        let wanted = self.deep.as_ref().and_then(|deep| deep.mode.as_ref());
                        mode = wanted.map_or(stat.mode, |mode| mode.over(stat.mode));
                        owner = Owner { uid: owner.uid.or(Some(stat.uid)), gid: owner.gid.or(Some(stat.gid)) };
                        Some("different content")
                    }
                    other => {
                        self.make_room(path, below, other, FileKind::File)?;
                        None
                    }
                };
                let copy = Operation::CopyFile { from: from.into(), path: path.into(), mode, owner };
                self.differs(below, had, Some(super::AS_IN_SOURCE), copy);
                Ok(())
            }
        }
    }

    /// Removes a conflicting entry, if `force` allows it.
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

    /// Removes entries that neither the source nor another resource manages.
    fn purge(&mut self, path: &Path, below: &Path, kept: &BTreeSet<OsString>, depth: usize) -> Result<(), HostError> {
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
            match self.look.stat(&entry)? {
                // If attributes apply to all entries, the walk below visits it anyway.
                Some(stat) if stat.kind == FileKind::Dir && self.keep_folders && !self.force && self.deep.is_some() => {
                }
                Some(stat) if stat.kind == FileKind::Dir && self.keep_folders && !self.force => {
                    self.folder(None, &entry, false, &below.join(&name), depth + 1)?;
                }
                Some(stat) => self.remove(&entry, &below.join(&name), stat),
                None => {}
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
