//! Performs or undoes the operations of several turns at once: before-images, intents, contents and names each become
//! durable by one wait.
//!
//! The order is the same as for a single operation, for all of them together. Nothing is written before all intents are
//! durable. No name changes before all contents are durable. No operation counts as done before its folder is durable.
//! A crash in between leaves intents without an end. Recovery compares each with its path. *Accepted*: if a shared wait
//! fails, all its operations fail. *Rejected*: one journal per turn, to be merged later.

mod ahead;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

use super::UndoAction;
use super::host::{Journalled, JournalledTurn, is_as_planned};
use super::image::{Depth, Image};
use super::operation::LoggedOperation;
use super::record::{Intent, Record};
use crate::host::local::together::{FEW, Shared};
use crate::host::local::{LocalTurn, Temporary, Written, synced_dir};
use crate::host::{
    About, Act, Ahead, Batch, FileKind, HostError, LookFiles, Operation, each, each_waiting, is_batchable, split_path,
};
use ahead::InOrder;

/// The number of folder handles held at once.
pub(super) const FOLDERS: usize = 256;

/// Journalled turns on this machine that are open at the same time.
pub(super) struct JournalledBatch<'a> {
    host: &'a Journalled,
    /// Holds the folders that the turns inspected.
    local: LocalTurn<'a>,
}

/// The work of one item.
#[derive(Clone, Copy)]
enum Work<'d> {
    Do(&'d Operation),
    /// Undoing an intent of a deploy.
    Undo(UndoTarget<'d>),
}

/// An operation in progress.
struct Going<'d> {
    about: About<'d>,
    work: Work<'d>,
    path: &'d Path,
    is_hidden: bool,
    /// The before-image, once it is taken.
    before: Option<Image>,
    stage: Stage,
}

/// An operation to undo.
#[derive(Clone, Copy)]
pub struct UndoTarget<'d> {
    pub about: About<'d>,
    pub back: &'d UndoAction,
    /// The deploy and the intent of the operation.
    pub undoes: (u64, u64),
    /// The expected image at the path when this step runs, from the plan. If the path differs, it is left unchanged.
    pub planned: Option<&'d Image>,
}

/// The stages of an operation.
enum Stage {
    Begun,
    Failed(HostError),
    /// The before-image is taken.
    Seen {
        folder: Folder,
        operation: LoggedOperation,
    },
    /// The intent is durable.
    Intended {
        folder: Folder,
        intent: u64,
    },
    /// The content is in a temporary file.
    Written {
        folder: Folder,
        intent: u64,
        temporary: Temporary,
        file: Option<OwnedFd>,
    },
    /// The content has its final name.
    Placed {
        folder: Folder,
        intent: u64,
    },
    /// The operation was begun and failed.
    Given {
        intent: u64,
        error: HostError,
    },
    /// The entry that records the end.
    Over {
        record: Box<Record>,
        end: Result<(), HostError>,
    },
}

/// The folder of an operation.
#[derive(Clone)]
struct Folder {
    handle: Arc<OwnedFd>,
    device: Shared,
}

impl<'a> JournalledBatch<'a> {
    /// Makes a batch whose turns share open folders.
    pub fn new(host: &'a Journalled, local: LocalTurn<'a>) -> Self {
        Self { host, local: local.for_many() }
    }
}

impl Batch for JournalledBatch<'_> {
    fn turn_of(&self, about: About) -> Box<dyn Act + '_> {
        let (resource, secret) = (about.resource.clone(), about.secret);
        Box::new(JournalledTurn {
            host: self.host,
            local: self.local.one(),
            resource,
            secret,
            undoes: None,
            keeps_all: false,
            planned: None,
        })
    }

    fn has_room(&self) -> bool {
        self.local.held() < FOLDERS
    }

    fn perform(&self, operations: &[(About, &Operation)]) -> Vec<Result<(), HostError>> {
        // Operations that must be performed alone follow the others.
        let mut ends: Vec<Option<()>> = Vec::with_capacity(operations.len());
        let mut going: Vec<Going> = Vec::with_capacity(operations.len());
        for (about, operation) in operations {
            let path = operation.path().filter(|_| operations.len() > 1 && is_batchable(operation));
            if let Some(path) = path {
                going.push(self.going(*about, operation, path));
            }
            ends.push(path.is_none().then_some(()));
        }
        self.together(&mut going);
        let mut over = going.into_iter().map(Going::end);
        let alone = |(about, operation): &(About, &Operation)| self.turn_of(*about).perform(operation);
        let end = |(end, operation): (Option<_>, _)| match end {
            Some(()) => alone(operation),
            None => over.next().expect("one result per batched operation"),
        };
        ends.into_iter().zip(operations).map(end).collect()
    }

    fn ahead<'a>(&'a self, operations: &[(About<'a>, &'a Operation)]) -> Box<dyn Ahead + 'a> {
        Box::new(InOrder::new(self, operations))
    }
}

impl JournalledBatch<'_> {
    /// Undoes operations on paths, as journalled operations themselves. Returns each result.
    pub fn undo(&self, backs: &[UndoTarget]) -> Vec<Result<(), HostError>> {
        let going = backs.iter().map(|target| {
            let path = target.back.path().expect("only operations on paths are batched");
            let is_hidden = self.host.hides(path, target.about.secret);
            Going::new(target.about, Work::Undo(*target), path, is_hidden)
        });
        let mut going: Vec<Going> = going.collect();
        self.together(&mut going);
        going.into_iter().map(Going::end).collect()
    }

    fn going<'d>(&self, about: About<'d>, operation: &'d Operation, path: &'d Path) -> Going<'d> {
        Going::new(about, Work::Do(operation), path, self.host.hides(path, about.secret))
    }

    fn together(&self, going: &mut [Going]) {
        self.write_ahead(going);
        self.finish(going);
    }

    /// Does the work that changes no path yet: before-images, intents, and contents in temporary files.
    fn write_ahead(&self, going: &mut [Going]) {
        self.see(going);
        self.intend(going);
        let is_few = going.len() < FEW;
        if going.iter().any(Going::syncs_for_itself) {
            each_waiting(going, |going| self.write(going, is_few));
        } else {
            each(going, |going| self.write(going, is_few));
        }
        self.sync_contents(going);
    }

    /// Performs the operations, waits until they are durable, and records each end.
    fn finish(&self, going: &mut [Going]) {
        each(going, |going| self.place(going));
        self.sync_folders(going);
        each(going, |going| self.conclude(going));
        let records: Vec<Record> = going.iter_mut().filter_map(Going::record).collect();
        // The result of an operation does not depend on this entry.
        let _ = self.host.journal.append(&records);
    }

    /// Takes the before-images.
    fn see(&self, going: &mut [Going]) {
        let later = self.host.blobs.later();
        each(going, |going| {
            going.stage = match self.image(going, &later) {
                Ok((folder, operation, before)) => {
                    going.before = Some(before);
                    Stage::Seen { folder, operation }
                }
                Err(error) => Stage::Failed(error),
            };
        });
        if let Err(errno) = later.commit() {
            fail(going, &HostError::journal("save the current state", errno));
        }
    }

    fn image(&self, going: &Going, later: &super::blob::Later) -> Result<(Folder, LoggedOperation, Image), HostError> {
        let (operation, depth) = match going.work {
            Work::Do(operation) => {
                LoggedOperation::of(operation, going.is_hidden).expect("operations on files are logged")
            }
            Work::Undo(target) => target.back.logged().expect("only operations on paths are undone together"),
        };
        let (handle, name) = self.local.at(going.path)?;
        self.local.seen.watch(&handle, going.path)?;
        let before = Image::take(&handle, name, going.path, depth, going.is_hidden, later)?;
        if let Work::Undo(UndoTarget { planned: Some(planned), .. }) = going.work {
            is_as_planned(going.path, planned, &before)?;
        }
        let device = self.local.together.of(&handle);
        Ok((Folder { handle, device }, operation, before))
    }

    /// Writes all intents and waits until they are durable.
    fn intend(&self, going: &mut [Going]) {
        let mut intents = Vec::with_capacity(going.len());
        for going in going.iter_mut().filter(|going| matches!(going.stage, Stage::Seen { .. })) {
            let Stage::Seen { folder, operation } = going.take() else { continue };
            let before = going.before.clone().expect("what is seen was looked at");
            let resource = going.about.resource.clone();
            let undoes = match going.work {
                Work::Do(_) => None,
                Work::Undo(target) => Some(target.undoes),
            };
            intents.push(Record::Intent(Intent { resource, operation, before, undoes }));
            going.stage = Stage::Intended { folder, intent: intents.len() as u64 - 1 };
        }
        let journal = &self.host.journal;
        let written = journal.append(&intents).and_then(|first| {
            journal.commit(first + intents.len() as u64)?;
            Ok(first)
        });
        match written {
            Ok(first) => going.iter_mut().for_each(|going| {
                if let Stage::Intended { intent, .. } = &mut going.stage {
                    *intent += first;
                }
            }),
            Err(errno) => fail(going, &HostError::journal("record a change", errno)),
        }
    }

    /// A folder in place of a file must be removed first, which happens alone.
    fn is_folder(&self, path: &Path) -> bool {
        self.local.stat(path).is_ok_and(|there| there.is_some_and(|there| there.kind == FileKind::Dir))
    }

    /// Writes the new content to a temporary file, durably unless a shared sync follows.
    fn write(&self, going: &mut Going, is_few: bool) {
        let (folder, intent) = match going.take() {
            Stage::Intended { folder, intent } => (folder, intent),
            other => return going.stage = other,
        };
        let path = going.path;
        let written = match going.work {
            Work::Do(Operation::WriteFile { path, image }) => match &image.content {
                None => Err(HostError::UnknownValue { param: "content".into() }),
                Some(content) => self.local.stage(path, image.mode, image.owner, |file| {
                    file.write_all(content).map_err(|error| HostError::std("write", path, &error))
                }),
            },
            Work::Undo(UndoTarget {
                back: UndoAction::Restore { path, image: Image::File { content, attributes, modified } },
                ..
            }) if !self.is_folder(path) => content
                .digest()
                .ok_or(Errno::NOENT)
                .and_then(|digest| self.host.blobs.read(digest))
                .map_err(|errno| HostError::journal("restore a content", errno))
                .and_then(|content| self.local.stage_restored(path, &content, attributes, *modified)),
            _ => {
                going.stage = Stage::Intended { folder, intent };
                return;
            }
        };
        let written = written.and_then(|Written { temporary, file, .. }| {
            if folder.device.is_none() {
                rustix::fs::fsync(&file).map_err(|errno| HostError::io("write", path, errno))?;
            }
            // The number of handles is limited.
            Ok((temporary, is_few.then_some(file)))
        });
        going.stage = match written {
            Ok((temporary, file)) => Stage::Written { folder, intent, temporary, file },
            Err(error) => Stage::Given { intent, error },
        };
    }

    /// Makes all contents durable. Files that are still open are synced one by one.
    fn sync_contents(&self, going: &mut [Going]) {
        let mut devices = BTreeMap::new();
        for going in going.iter_mut() {
            let Stage::Written { folder, file, .. } = &going.stage else { continue };
            let done = match (file, &folder.device) {
                (_, None) => Ok(()),
                (Some(file), _) => rustix::fs::fsync(file),
                (None, Some(device)) => *devices.entry(Arc::as_ptr(device)).or_insert_with(|| device.sync_all()),
            };
            if let Err(errno) = done {
                going.give_up(HostError::io("write", going.path, errno));
            }
        }
    }

    /// Performs the operation, or renames the temporary file.
    fn place(&self, going: &mut Going) {
        let (folder, intent, done) = match going.take() {
            Stage::Written { folder, intent, temporary, .. } => {
                let (_, name) = split_path(going.path).unwrap_or((Path::new("/"), OsStr::new("")));
                let still = self.local.seen.hold(&folder.handle, going.path);
                let rename = |()| temporary.rename(name).map_err(|errno| HostError::io("replace", going.path, errno));
                let done = still.and_then(rename);
                (folder, intent, done)
            }
            Stage::Intended { folder, intent } => {
                let done = match going.work {
                    Work::Do(operation) => self.local.perform(operation),
                    Work::Undo(target) => target.back.perform(&self.local, &self.host.blobs),
                };
                if let (Err(_), Some(before)) = (&done, &going.before) {
                    // Report the original error. The final image records what could not be restored.
                    let _ = self.local.make_whole(going.path, before, &self.host.blobs);
                }
                (folder, intent, done)
            }
            other => return going.stage = other,
        };
        going.stage = match done {
            Ok(()) => Stage::Placed { folder, intent },
            Err(error) => Stage::Given { intent, error },
        };
    }

    /// Makes all names durable.
    fn sync_folders(&self, going: &mut [Going]) {
        let mut folders = HashMap::new();
        for going in going.iter() {
            if let Stage::Placed { folder, .. } = &going.stage {
                folders.entry(Arc::as_ptr(&folder.handle)).or_insert_with(|| folder.clone());
            }
        }
        let is_few = folders.len() < FEW;
        let mut devices = BTreeMap::new();
        let mut sync = |folder: Folder| match &folder.device {
            Some(device) if !is_few => *devices.entry(Arc::as_ptr(device)).or_insert_with(|| device.sync_all()),
            _ => rustix::fs::fsync(&*folder.handle),
        };
        let done: HashMap<_, _> = folders.into_iter().map(|(at, folder)| (at, sync(folder))).collect();
        for going in going.iter_mut() {
            let Stage::Placed { folder, .. } = &going.stage else { continue };
            let done = done.get(&Arc::as_ptr(&folder.handle)).copied().unwrap_or(Ok(()));
            if let Err(error) = synced_dir(done, going.path) {
                going.give_up(error);
            }
        }
    }

    /// Returns the present image after a failed operation.
    fn left(&self, going: &Going, depth: Depth) -> Result<Image, HostError> {
        let (folder, name) = self.local.at(going.path)?;
        Image::take(&folder, name, going.path, depth, going.is_hidden, &*self.host.blobs)
    }

    /// Inspects the path and makes the end entry.
    fn conclude(&self, going: &mut Going) {
        going.stage = match going.take() {
            Stage::Placed { folder, intent } => {
                let (_, name) = split_path(going.path).unwrap_or((Path::new("/"), OsStr::new("")));
                let blobs = &*self.host.blobs;
                let after = Image::take(&folder.handle, name, going.path, Depth::Hash, going.is_hidden, blobs);
                Stage::Over { record: Box::new(Record::done(intent, after)), end: Ok(()) }
            }
            Stage::Given { intent, error } => {
                let words = if going.about.secret { "(secret)".into() } else { error.to_string() };
                let before = going.before.as_ref().expect("what is begun was looked at");
                let record = Box::new(Record::failed(intent, words, before, self.left(going, before.depth())));
                Stage::Over { record, end: Err(error) }
            }
            other => other,
        };
    }
}

impl<'d> Going<'d> {
    fn new(about: About<'d>, work: Work<'d>, path: &'d Path, is_hidden: bool) -> Self {
        Self { about, work, path, is_hidden, before: None, stage: Stage::Begun }
    }
}

impl Going<'_> {
    /// Returns the result.
    fn end(self) -> Result<(), HostError> {
        match self.stage {
            Stage::Over { end, .. } => end,
            Stage::Failed(error) => Err(error),
            _ => unreachable!("every operation has ended"),
        }
    }

    /// Whether the file system must be synced per file, because a sync of the whole may not report lost writes.
    fn syncs_for_itself(&self) -> bool {
        matches!(&self.stage, Stage::Intended { folder, .. } if folder.device.is_none())
    }

    fn take(&mut self) -> Stage {
        std::mem::replace(&mut self.stage, Stage::Begun)
    }

    /// Fails the operation, whether begun or not, and removes its temporary file.
    fn give_up(&mut self, error: HostError) {
        self.stage = match self.take() {
            Stage::Written { intent, .. } | Stage::Placed { intent, .. } => Stage::Given { intent, error },
            _ => Stage::Failed(error),
        };
    }

    /// Returns the intent, if it was recorded and the operation was not begun.
    fn not_begun(&self) -> Option<u64> {
        match &self.stage {
            Stage::Intended { intent, .. } | Stage::Written { intent, .. } | Stage::Given { intent, .. } => {
                Some(*intent)
            }
            _ => None,
        }
    }

    fn record(&mut self) -> Option<Record> {
        match &self.stage {
            Stage::Over { record, .. } => Some((**record).clone()),
            _ => None,
        }
    }
}

/// Fails all operations that have not failed yet.
fn fail(going: &mut [Going], error: &HostError) {
    for going in going {
        if !matches!(going.stage, Stage::Failed(_)) {
            going.give_up(error.clone());
        }
    }
}
