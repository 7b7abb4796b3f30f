//! The folders of unpacked bundles: locked while in use, and removed when unused for long.
//!
//! Removing one is safe: the next use of the bundle validates and unpacks it again.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use crate::deploy::StateFolder;

/// Below the state folder.
const FOLDER: &str = "bundles";
/// The number of digits of the hash in a folder's name.
pub const NAME: usize = 24;
/// An unused folder is removed after this time, when another bundle is opened.
const AGE: Duration = Duration::from_hours(30 * 24);
/// The same on the user's request: a folder used today may be needed again.
const RECENT: Duration = Duration::from_hours(24);

/// Returns the parent folder of unpacked bundles.
pub fn folder(state: &Path) -> PathBuf {
    state.join(FOLDER)
}

/// Keeps the folder of an unpacked bundle in place while this value lives. The default value holds nothing.
#[derive(Clone, Debug, Default)]
pub struct FolderLock(#[expect(dead_code, reason = "it is held for its lock")] Option<Arc<File>>);

/// Two values are equal: the bundle's content does not depend on the lock.
impl PartialEq for FolderLock {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for FolderLock {}

/// The file whose time is the last use of a bundle. Its users share a lock on it.
fn mark(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.used"))
}

/// Locks a bundle's folder and records the time of use.
pub fn hold(folder: &Path, name: &str, now: Timestamp) -> io::Result<FolderLock> {
    let path = mark(folder, name);
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock_shared()?;
        // If another process removed the folder meanwhile, it also removed the lock file: then this lock is worthless.
        if fs::metadata(&path).is_ok_and(|there| file.metadata().is_ok_and(|ours| ours.ino() == there.ino())) {
            file.set_modified(SystemTime::from(now))?;
            return Ok(FolderLock(Some(Arc::new(file))));
        }
    }
}

/// Removes folders that were unused for long. Returns their number. Failures are left for the next time.
pub fn sweep_old(state: &StateFolder, now: Timestamp) -> usize {
    sweep(&folder(state.path()), AGE, now)
}

/// Removes folders that were not used today.
pub fn prune_unpacked(state: &StateFolder, now: Timestamp) -> usize {
    sweep(&folder(state.path()), RECENT, now)
}

fn sweep(folder: &Path, age: Duration, now: Timestamp) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_ours = |name: &String| name.len() == NAME && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    names.filter(is_ours).filter(|name| remove(folder, name, age, now).is_ok_and(|gone| gone)).count()
}

fn remove(folder: &Path, name: &str, age: Duration, now: Timestamp) -> io::Result<bool> {
    let (path, mark) = (folder.join(name), mark(folder, name));
    // Folders of older versions have no such file. Then the folder's own time counts.
    let used = fs::metadata(&mark).or_else(|_| fs::metadata(&path))?.modified()?;
    if SystemTime::from(now).duration_since(used).unwrap_or_default() < age {
        return Ok(false);
    }
    let file = File::options().create(true).truncate(false).write(true).open(&mark)?;
    if file.try_lock().is_err() {
        return Ok(false);
    }
    // One rename, so that no process sees half a folder.
    let aside = tempfile::Builder::new().prefix(".old-").tempdir_in(folder)?;
    fs::rename(&path, aside.path().join(name))?;
    fs::remove_file(&mark)?;
    Ok(true)
}

/// Whether a path is in the folder of an unpacked bundle.
pub fn is_unpacked(path: &Path, state: &Path) -> bool {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match (path.canonicalize(), folder(state).canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}
