//! This machine with a journal: before-image, durable intent, operation, final image.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::batch::{JournalledBatch, UndoTarget};
use super::image::{Depth, Image};
use super::operation::LoggedOperation;
use super::record::{Completion, Intent, Record};
use super::{Blobs, Journal, UndoAction};
use crate::graph::ResourceId;
use crate::host::local::{LocalTurn, remove_leftovers};
use crate::host::through::Through;
use crate::host::{
    About, Act, ActCommands, Batch, Command, FileKind, Host, HostError, LiveWeb, Local, Look, Operation, Output, Stat,
    SystemChange, Within,
};
use crate::plan::Reversible;
use crate::source::printable;
use crate::world::{is_secret_mode, store_folder};

/// This machine, for journalled applies.
#[derive(Debug)]
pub struct Journalled {
    local: Local,
    pub(super) journal: Arc<Journal>,
    pub(super) blobs: Arc<Blobs>,
    /// The resource of an unnamed turn.
    unnamed: ResourceId,
    /// The folder where kinds store outputs of commands and passwords. Its files are secret in every turn.
    kept: PathBuf,
    /// The shared store, which may hold secret values.
    store: PathBuf,
}

impl Journalled {
    /// `tag` is in the journal's first entry, so that recovery recognises this run's temporary files.
    pub fn new(tag: String, journal: Arc<Journal>, blobs: Arc<Blobs>) -> Self {
        let state = blobs.path().parent().unwrap_or(Path::new("/"));
        let (kept, store) = (state.join("kinds"), store_folder(state));
        Self { local: Local::tagged(tag), journal, blobs, unnamed: ResourceId("workbench".into()), kept, store }
    }

    /// The same machine with servers that are already open.
    pub fn with_web(self, web: Arc<LiveWeb>) -> Self {
        Self { local: self.local.with_web(web), ..self }
    }

    fn open<'a>(&'a self, resource: &ResourceId, secret: bool, undoes: Option<(u64, u64)>) -> JournalledTurn<'a> {
        JournalledTurn {
            host: self,
            local: self.local.local_turn(),
            resource: resource.clone(),
            secret,
            undoes,
            keeps_all: false,
            planned: None,
        }
    }

    /// Whether the content at a path must not be stored, not even as a hash.
    pub(super) fn hides(&self, path: &Path, secret: bool) -> bool {
        let held_secret = || std::fs::symlink_metadata(path).is_ok_and(|there| is_secret_mode(there.mode()));
        secret || path.starts_with(&self.kept) || path.starts_with(&self.store) && held_secret()
    }

    /// Undoes an operation, as a journalled operation itself.
    pub fn undo(&self, target: &UndoTarget) -> Result<(), HostError> {
        self.back(&self.open_undo(target), target.back)
    }

    /// The same after another program changed the path: its state is saved first, or nothing is done.
    pub fn undo_overwriting(&self, target: &UndoTarget) -> Result<(), HostError> {
        self.back(&JournalledTurn { keeps_all: true, ..self.open_undo(target) }, target.back)
    }

    fn open_undo<'a>(&'a self, target: &UndoTarget<'a>) -> JournalledTurn<'a> {
        let turn = self.open(target.about.resource, target.about.secret, Some(target.undoes));
        JournalledTurn { planned: target.planned, ..turn }
    }

    fn back(&self, turn: &JournalledTurn, back: &UndoAction) -> Result<(), HostError> {
        match (back, back.path().zip(back.logged())) {
            (_, Some((path, (operation, depth)))) => {
                turn.perform_on_path(path, operation, depth, |local| back.perform(local, &self.blobs))
            }
            // Each change is a separate operation.
            (UndoAction::System(changes), None) => {
                changes.iter().try_for_each(|change| turn.change(change, &Within::default()).map(drop))
            }
            (_, None) => unreachable!("all else is done to a path"),
        }
    }

    /// Undoes several operations on unrelated paths with one wait for all. Returns each result.
    pub fn undo_batch(&self, backs: &[UndoTarget]) -> Vec<Result<(), HostError>> {
        if !has_handles() {
            return backs.iter().map(|target| self.undo(target)).collect();
        }
        JournalledBatch::new(self, self.local.local_turn()).undo(backs)
    }

    /// Decides whether an interrupted operation was done, and removes the temporary files of its run, once per folder.
    /// Changes nothing else.
    pub fn recover_operation(
        &self,
        tag: &str,
        intent: &Intent,
        tidy: &mut BTreeSet<PathBuf>,
    ) -> Result<Completion, HostError> {
        let Some(path) = intent.operation.path() else { return Ok(Completion::Unknown) };
        if let Some(folder) = path.parent()
            && tidy.insert(folder.to_path_buf())
        {
            remove_leftovers(folder, tag)?;
        }
        Ok(intent.operation.was_done(&intent.before, &look(path, Depth::Hash, &self.blobs)?))
    }
}

/// Whether this process may open enough handles for a batch: one per folder.
fn has_handles() -> bool {
    const ENOUGH: u64 = 2 * super::batch::FOLDERS as u64;
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.is_none_or(|most| most >= ENOUGH)
}

/// Returns the present image of a path.
pub fn look(path: &Path, depth: Depth, blobs: &Blobs) -> Result<Image, HostError> {
    let local = Local::default();
    let turn = local.local_turn();
    match turn.at(path) {
        Ok((dir, name)) => Image::take(&dir, name, path, depth, false, blobs),
        Err(HostError::Missing { .. } | HostError::Io { errno: Errno::NOTDIR, .. }) => Ok(Image::Absent),
        Err(error) => Err(error),
    }
}

impl Host for Journalled {
    fn turn(&self) -> Box<dyn Act + '_> {
        Box::new(self.open(&self.unnamed, false, None))
    }

    fn web(&self) -> Option<&dyn crate::host::Web> {
        Host::web(&self.local)
    }

    fn turn_of(&self, about: About) -> Box<dyn Act + '_> {
        Box::new(self.open(about.resource, about.secret, None))
    }

    fn batch(&self) -> Option<Box<dyn Batch + '_>> {
        has_handles().then(|| -> Box<dyn Batch + '_> { Box::new(JournalledBatch::new(self, self.local.local_turn())) })
    }

    fn is_dry(&self) -> bool {
        false
    }

    fn turns(&self) -> usize {
        0
    }

    fn back_to(&self, _turns: usize) -> bool {
        false
    }
}

/// One journalled turn on the machine.
pub(super) struct JournalledTurn<'a> {
    pub(super) host: &'a Journalled,
    pub(super) local: LocalTurn<'a>,
    pub(super) resource: ResourceId,
    pub(super) secret: bool,
    pub(super) undoes: Option<(u64, u64)>,
    /// Content that cannot be restored later must not be overwritten.
    pub(super) keeps_all: bool,
    /// The approved plan's image of the path.
    pub(super) planned: Option<&'a Image>,
}

/// Fails if another program changed the path after the plan.
pub(super) fn is_as_planned(path: &Path, planned: &Image, now: &Image) -> Result<(), HostError> {
    if planned.agrees(now) {
        return Ok(());
    }
    Err(HostError::Refused(format!(
        "{} was changed after the plan and was not touched",
        printable(&path.to_string_lossy())
    )))
}

impl JournalledTurn<'_> {
    /// Performs an operation on a path. Nothing happens before the intent is durable.
    fn perform_on_path(
        &self,
        path: &Path,
        operation: LoggedOperation,
        depth: Depth,
        act: impl FnOnce(&LocalTurn) -> Result<(), HostError>,
    ) -> Result<(), HostError> {
        let (dir, name) = self.local.at(path)?;
        let (blobs, secret) = (&*self.host.blobs, self.hides(path));
        self.local.seen.watch(&dir, path)?;
        let before = Image::take(&dir, name, path, depth, secret, blobs)?;
        // A change of attributes loses no content.
        if let (true, false, Some(why)) = (self.keeps_all, depth == Depth::Attributes, before.loss()) {
            return Err(HostError::Refused(format!("the current state of {} would be lost: {why}", path.display())));
        }
        if let Some(planned) = self.planned {
            is_as_planned(path, planned, &before)?;
        }
        let after = |depth| {
            let (dir, name) = self.local.at(path)?;
            Image::take(&dir, name, path, depth, secret, blobs)
        };
        let there = before.clone();
        self.journalled(operation, before, after, || {
            act(&self.local).inspect_err(|_| {
                // Report the original error. The final image records what could not be restored.
                let _ = self.local.make_whole(path, &there, blobs);
            })
        })
    }

    fn hides(&self, path: &Path) -> bool {
        self.host.hides(path, self.secret)
    }

    /// Journals one operation in the required order. Operations of other facets use this too.
    fn journalled<T>(
        &self,
        operation: LoggedOperation,
        before: Image,
        after: impl FnOnce(Depth) -> Result<Image, HostError>,
        act: impl FnOnce() -> Result<T, HostError>,
    ) -> Result<T, HostError> {
        let journal = &self.host.journal;
        let intent = Intent { resource: self.resource.clone(), operation, before, undoes: self.undoes };
        let refused = |errno| HostError::journal("record a change", errno);
        let entry = [Record::Intent(intent.clone())];
        let number = journal.append(&entry).map_err(refused)?;
        journal.commit(number + 1).map_err(refused)?;
        let done = act();
        let record = match &done {
            // Recovery recognises the operation by hash, so this entry need not be durable before the next operation.
            Ok(_) => Record::done(number, after(Depth::Hash)),
            Err(error) => {
                // The message may quote the output of a command.
                let words = if self.secret { "(secret)".into() } else { error.to_string() };
                match intent.operation.path() {
                    Some(_) => Record::failed(number, words, &intent.before, after(intent.before.depth())),
                    None => {
                        let left = intent.operation.left_unknown(error);
                        Record::Failed { intent: number, error: words, left, is_unseen: false }
                    }
                }
            }
        };
        // The result of the operation does not depend on this entry.
        let _ = journal.append(&[record]);
        done
    }
}

impl ActCommands for JournalledTurn<'_> {
    fn run(&self, command: &Command) -> Result<Option<Output>, HostError> {
        let words = |words: &[OsString]| words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let operation =
            LoggedOperation::Command { program: command.name(), args: (!self.secret).then(|| words(&command.args)) };
        self.journalled(operation, Image::Absent, |_| Ok(Image::Absent), || self.local.run(command))
    }
}

impl JournalledTurn<'_> {
    fn change(&self, change: &SystemChange, within: &Within) -> Result<Vec<String>, HostError> {
        let inverse = change.inverse(&self.local)?;
        let operation = if self.secret {
            LoggedOperation::System { change: None, inverse: None }
        } else {
            LoggedOperation::System { change: Some(change.clone()), inverse: Some(inverse) }
        };
        self.journalled(operation, Image::Absent, |_| Ok(Image::Absent), || self.local.change(change, within))
    }
}

impl Through for JournalledTurn<'_> {
    fn look(&self) -> &dyn Look {
        &self.local
    }
}

impl Act for JournalledTurn<'_> {
    fn perform_within(&self, operation: &Operation, within: &Within) -> Result<Vec<String>, HostError> {
        let path = match (operation, operation.path()) {
            (Operation::System(change), _) => return self.change(change, within),
            (_, path) => path.expect("operations on files have a path"),
        };
        let (logged, depth) = LoggedOperation::of(operation, self.hides(path)).expect("operations on files are logged");
        self.perform_on_path(path, logged, depth, |local| local.perform(operation))?;
        Ok(Vec::new())
    }
}

/// Predicts whether operations can be undone. Overwriting a secret, a device or more data than is stored cannot.
pub fn foretell(operations: &[Operation], look: &dyn Look, secret: bool) -> Reversible {
    operations.iter().map(|operation| one(operation, look, secret)).max().unwrap_or(Reversible::Yes)
}

fn one(operation: &Operation, look: &dyn Look, secret: bool) -> Reversible {
    let (path, is_tree) = match operation {
        Operation::System(_) if secret => return Reversible::No,
        Operation::System(change) => {
            // An unpredictable change counts as not reversible.
            return change.inverse(look).map_or(Reversible::No, |inverse| inverse.reversible);
        }
        Operation::RemoveTree { path } => (path, true),
        Operation::SetMode { .. }
        | Operation::SetOwner { .. }
        | Operation::SetXattr { .. }
        | Operation::MakeDir { .. } => return Reversible::Yes,
        Operation::WriteFile { path, .. }
        | Operation::CopyFile { path, .. }
        | Operation::MakeLink { path, .. }
        | Operation::RemoveFile { path }
        | Operation::RemoveDir { path } => (path, false),
    };
    let mut left = super::image::TREE_ENTRIES;
    match look.stat(path) {
        Ok(Some(stat)) if is_tree && secret && stat.kind == FileKind::Dir => Reversible::No,
        Ok(Some(stat)) if is_tree && stat.kind == FileKind::Dir => {
            let mut bytes = super::image::TREE_BYTES;
            if tree_fits(path, look, &mut left, &mut bytes) { Reversible::Yes } else { Reversible::No }
        }
        Ok(Some(stat)) if !is_kept(&stat, secret) => Reversible::No,
        _ => Reversible::Yes,
    }
}

fn is_kept(stat: &Stat, secret: bool) -> bool {
    match stat.kind {
        FileKind::File => !secret && stat.size <= super::image::FILE_CAP,
        FileKind::Other => false,
        FileKind::Dir | FileKind::Link => true,
    }
}

fn tree_fits(folder: &Path, look: &dyn Look, left: &mut usize, bytes: &mut u64) -> bool {
    let Ok(names) = look.list(folder) else { return false };
    names.into_iter().all(|name| {
        let path = folder.join(name);
        let Ok(Some(stat)) = look.stat(&path) else { return false };
        if *left == 0 || stat.kind == FileKind::File && stat.size > *bytes || !is_kept(&stat, false) {
            return false;
        }
        *left -= 1;
        if stat.kind == FileKind::File {
            *bytes -= stat.size;
        }
        stat.kind != FileKind::Dir || tree_fits(&path, look, left, bytes)
    })
}
