//! Putting fetched modules where they belong: all of them or none, also when this process is killed midway.
//!
//! What is fetched waits in a hidden folder on the same file system. A note with the whole plan is written first, then
//! every folder is swapped by one rename, then the lock is written, and last the note goes. Whoever finds a note
//! finishes its plan.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde::{Deserialize, Serialize};

use super::FetchError;
use super::hash::TreeHash;
use super::inside::Roots;
use super::lock::{LOCK_FILE, Lock, nested};
use super::refusal::Refusal;

/// The folder of staged modules has this name.
const STAGE: &str = ".workbench-fetch";
const NOTE: &str = ".workbench-fetch.json";

/// One module to put in place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Placing {
    /// Where it waits.
    pub staged: PathBuf,
    /// Where it belongs.
    pub target: PathBuf,
    pub hash: TreeHash,
}

#[derive(Serialize, Deserialize)]
struct Note {
    placings: Vec<Placing>,
    /// The new text of the lock; `None` if it is unchanged.
    lock: Option<String>,
}

/// A folder for staged modules, below the folder of modules. Dropping this removes it with its content.
pub struct Stage {
    pub folder: PathBuf,
    root: PathBuf,
    /// Whether the module folder was created for this download.
    made_root: bool,
}

impl Stage {
    /// Creates the stage below the folder of modules, and that folder if it is missing.
    pub fn make(root: &Path) -> Result<Self, FetchError> {
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let (folder, made_root) = (root.join(STAGE), !root.exists());
        fs::create_dir_all(&folder).map_err(|error| FetchError::disk(&folder, error))?;
        Ok(Self { folder, root: root.to_path_buf(), made_root })
    }

    /// Whether the stage is below this folder of modules.
    pub fn is_in(&self, root: &Path) -> bool {
        self.root == root
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // The next download removes what cannot be removed now.
        let _ = fs::remove_dir_all(&self.folder);
        if self.made_root {
            let _ = fs::remove_dir(&self.root);
        }
    }
}

/// Puts everything in place and writes the lock, if there is one to write. After the note is down there is no way back,
/// only forward.
pub fn place(base: &Path, placings: Vec<Placing>, lock: Option<&Lock>) -> Result<(), FetchError> {
    if placings.is_empty() {
        return lock.map_or(Ok(()), |lock| lock.write(base));
    }
    let base = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let note = Note { placings, lock: lock.map(Lock::text) };
    let path = base.join(NOTE);
    write_note(base, &path, &note).map_err(|error| FetchError::disk(&path, error))?;
    carry_out(base, &note, lock)
}

/// Finishes what an earlier download had begun to put in place. `true` where there was something. `locked` refuses a
/// note that would change the lock.
///
/// The note is a file of the project, so it is believed as little as the lock: it moves only staged folders, only to
/// where modules may be, and only files with the hashes in the lock.
pub fn finish_earlier(base: &Path, roots: &Roots, locked: bool) -> Result<bool, Refusal> {
    let path = base.join(NOTE);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(FetchError::disk(&path, error).into()),
    };
    let note: Note = serde_json::from_slice(&text).map_err(|error| FetchError::disk(&path, error))?;
    let lock = note.lock.as_deref().map(Lock::parse).transpose()?;
    if locked && note.lock.as_ref().is_some_and(|text| fs::read(base.join(LOCK_FILE)).ok() != Some(text.clone().into()))
    {
        return Err(Refusal::Unfinished);
    }
    let entries = match &lock {
        Some(lock) => lock.clone(),
        None => Lock::read(base)?,
    };
    for Placing { staged, target, hash } in &note.placings {
        let is_staged = stage_of(staged).is_some() && staged.parent().is_some_and(|stage| roots.hold(stage));
        if let Some(out) = [(staged, is_staged), (target, roots.hold(target))].into_iter().find(|(_, holds)| !holds) {
            return Err(Refusal::Outside { path: out.0.clone() });
        }
        if !entries.modules.iter().any(|locked| locked.hash == *hash) {
            let why = format!("{} is not in the lock file; remove this file", target.display());
            return Err(FetchError::disk(&path, why).into());
        }
    }
    carry_out(base, &note, lock.as_ref())?;
    // What waits there yet is of downloads that were ended, this one or others before it.
    for stage in note.placings.iter().filter_map(|placing| stage_of(&placing.staged)) {
        let _ = fs::remove_dir_all(stage);
    }
    Ok(true)
}

/// The folder in which a module waits.
fn stage_of(staged: &Path) -> Option<&Path> {
    staged.parent().filter(|folder| folder.file_name().is_some_and(|name| name == STAGE))
}

fn write_note(base: &Path, path: &Path, note: &Note) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(NOTE).tempfile_in(base)?;
    file.write_all(&serde_json::to_vec(note)?)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    fs::File::open(base)?.sync_all()
}

fn carry_out(base: &Path, note: &Note, lock: Option<&Lock>) -> Result<(), FetchError> {
    let targets: Vec<PathBuf> = note.placings.iter().map(|placing| placing.target.clone()).collect();
    for placing in &note.placings {
        swap(placing, &targets).map_err(|error| FetchError::disk(&placing.target, error))?;
    }
    lock.map_or(Ok(()), |lock| lock.write(base))?;
    let path = base.join(NOTE);
    fs::remove_file(&path).map_err(|error| FetchError::disk(&path, error))
}

/// Puts one folder in another's place by one rename. What was there waits to be removed. `targets` are all that are
/// placed: those inside this one are not part of it.
fn swap(placing: &Placing, targets: &[PathBuf]) -> io::Result<()> {
    if !placing.staged.exists() {
        // Done before, and what it replaced was removed: there was nothing.
        return Ok(());
    }
    let is_there = placing.target.exists();
    if is_there
        && TreeHash::of_folder(&placing.target, &nested(targets, &placing.target))
            .is_ok_and(|hash| hash == placing.hash)
    {
        return Ok(());
    }
    if TreeHash::of_folder(&placing.staged, &[]).is_ok_and(|hash| hash != placing.hash) {
        return Err(io::Error::other("the files that were fetched for it have changed since"));
    }
    if !is_there {
        if let Some(parent) = placing.target.parent() {
            fs::create_dir_all(parent)?;
        }
        return fs::rename(&placing.staged, &placing.target);
    }
    match renameat_with(CWD, &placing.staged, CWD, &placing.target, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // File systems that cannot exchange: two renames, and the note mends what falls between them.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => {
            let aside = placing.staged.with_extension("old");
            fs::rename(&placing.target, &aside)?;
            fs::rename(&placing.staged, &placing.target)
        }
        Err(error) => Err(error.into()),
    }
}
