//! Whether the files on disk match the lock: every file of every locked module, hashed again.

use std::path::{Path, PathBuf};

use super::FetchError;
use super::hash::TreeHash;
use super::lock::{Lock, Locked, nested};

/// A locked module on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    pub locked: Locked,
    /// Its folder.
    pub path: PathBuf,
    /// What its files hash to now.
    pub hash: TreeHash,
}

impl Verified {
    /// Whether it differs from the fetched module.
    pub fn is_edited(&self) -> bool {
        self.hash != self.locked.hash
    }
}

/// Hashes every locked module that is here, in the order of the lock. `base` is the folder of the lock; modules that are not
/// below it are searched in the folders of `search`. The compiler reports missing modules.
pub fn verify(base: &Path, lock: &Lock, search: &[PathBuf]) -> Result<Vec<Verified>, FetchError> {
    let here: Vec<(&Locked, PathBuf)> =
        lock.modules.iter().filter_map(|locked| Some((locked, place_of(base, search, locked)?))).collect();
    let all: Vec<PathBuf> = here.iter().map(|(_, path)| path.clone()).collect();
    let hash = |(locked, path): &(&Locked, PathBuf)| {
        let hash = TreeHash::of_folder(path, &nested(&all, path))?;
        Ok(Verified { locked: (*locked).clone(), path: path.clone(), hash })
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(here.len().max(1));
    std::thread::scope(|scope| {
        let shares: Vec<_> = here.chunks(here.len().div_ceil(workers).max(1)).collect();
        let running: Vec<_> =
            shares.into_iter().map(|share| scope.spawn(move || share.iter().map(hash).collect::<Vec<_>>())).collect();
        let ended = running.into_iter().flat_map(|worker| match worker.join() {
            Ok(verified) => verified,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ended.collect()
    })
}

/// A path without links, where it leads to something; for telling whether two are one place.
pub fn real(path: &Path) -> PathBuf {
    found(path).unwrap_or_else(|| path.to_path_buf())
}

/// The same, where there is something at the path.
pub fn found(path: &Path) -> Option<PathBuf> {
    let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    here.canonicalize().ok()
}

/// The folder of a locked module, if it is here.
pub fn place_of(base: &Path, search: &[PathBuf], locked: &Locked) -> Option<PathBuf> {
    let folders = std::iter::once(base).chain(search.iter().map(PathBuf::as_path));
    folders.map(|folder| folder.join(&locked.path)).find(|path| path.is_dir())
}

/// Which of some modules, each with the hash that its files had, have changed since; by their places in the list.
pub fn altered(modules: &[(PathBuf, String)]) -> Result<Vec<usize>, FetchError> {
    let all: Vec<PathBuf> = modules.iter().map(|(path, _)| path.clone()).collect();
    let mut altered = Vec::new();
    for (at, (path, hash)) in modules.iter().enumerate() {
        if TreeHash::of_folder(path, &nested(&all, path))?.0 != *hash {
            altered.push(at);
        }
    }
    Ok(altered)
}
