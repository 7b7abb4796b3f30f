//! Folders that bundles were unpacked into: held while somebody works in one, and removed once they lay unused for long.
//!
//! None is ever missed: whoever names the bundle again has it judged and unpacked anew.

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
/// As many digits of the hash name a bundle's folder.
pub const NAME: usize = 24;
/// An unused one goes after so long, when another one is opened.
const AGE: Duration = Duration::from_hours(30 * 24);
/// When the user asks for old things to be forgotten: what was used today may be wanted again.
const RECENT: Duration = Duration::from_hours(24);

/// Where bundles are unpacked to.
pub fn folder(state: &Path) -> PathBuf {
    state.join(FOLDER)
}

/// Somebody works in an unpacked bundle; its folder stays as long as this lives. The default holds nothing.
#[derive(Clone, Debug, Default)]
pub struct Held(#[expect(dead_code, reason = "it is held for its lock")] Option<Arc<File>>);

/// Two that look at the same files look at the same bundle.
impl PartialEq for Held {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Held {}

/// The file that says when a bundle was used last, and that its users lock together.
fn mark(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.used"))
}

/// Holds a bundle's folder, and notes that it is used now.
pub fn hold(folder: &Path, name: &str, now: Timestamp) -> io::Result<Held> {
    let path = mark(folder, name);
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        file.lock_shared()?;
        // Whoever removed the folder meanwhile took the mark along: then this one is nobody's.
        if fs::metadata(&path).is_ok_and(|there| file.metadata().is_ok_and(|ours| ours.ino() == there.ino())) {
            file.set_modified(SystemTime::from(now))?;
            return Ok(Held(Some(Arc::new(file))));
        }
    }
}

/// Removes what was not used for long. Gives how many went; what cannot be removed now goes another time.
pub fn sweep_old(state: &StateFolder, now: Timestamp) -> usize {
    sweep(&folder(state.path()), AGE, now)
}

/// Removes what was not used today.
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
    // Those of an older version have no mark; then their own time counts.
    let used = fs::metadata(&mark).or_else(|_| fs::metadata(&path))?.modified()?;
    if SystemTime::from(now).duration_since(used).unwrap_or_default() < age {
        return Ok(false);
    }
    let file = File::options().create(true).truncate(false).write(true).open(&mark)?;
    if file.try_lock().is_err() {
        return Ok(false);
    }
    // By one rename, so that nobody ever enters half of it.
    let aside = tempfile::Builder::new().prefix(".old-").tempdir_in(folder)?;
    fs::rename(&path, aside.path().join(name))?;
    fs::remove_file(&mark)?;
    Ok(true)
}

/// Whether a path lies in a folder that a bundle was unpacked into.
pub fn is_unpacked(path: &Path, state: &Path) -> bool {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match (path.canonicalize(), folder(state).canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}
