//! Removing modules that are no longer imported: only unedited modules that a download created.

use std::fs;
use std::path::{Path, PathBuf};

use super::FetchError;
use super::download::alone;
use super::hash::TreeHash;
use super::inside::Roots;
use super::lock::{Lock, Locked, nested};
use super::mark::unmark;
use super::place::{Stage, finish_earlier};
use super::refusal::Refusal;
use super::verify::{place_of, real};
use crate::world::Cancel;

/// A locked module that is not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    pub locked: Locked,
    /// Its folder; nothing if only its entry is left.
    pub path: Option<PathBuf>,
    pub fate: Removal,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Its files and its entry in the lock.
    Goes,
    /// It was edited since it was fetched.
    Edited,
    /// Somebody made it with git.
    Checkout,
    /// It contains another module that stays.
    Around(PathBuf),
    /// It is reached through a link that leads out of the project.
    Outside,
}

impl Unused {
    /// Whether the module will be removed.
    pub fn goes(&self) -> bool {
        self.fate == Removal::Goes
    }
}

/// The locked modules that are not in the folders of `imported`, and what happens to each.
pub fn unused(
    base: &Path,
    lock: &Lock,
    search: &[PathBuf],
    imported: &[PathBuf],
    roots: &Roots,
) -> Result<Vec<Unused>, FetchError> {
    let here: Vec<(&Locked, Option<PathBuf>)> =
        lock.modules.iter().map(|locked| (locked, place_of(base, search, locked))).collect();
    let all: Vec<PathBuf> = here.iter().filter_map(|(_, path)| path.clone()).collect();
    let mut found = Vec::new();
    // A module may be imported through another spelling of its folder, or through a link.
    let really: Vec<PathBuf> = imported.iter().map(|path| real(path)).collect();
    for (locked, path) in here {
        let is_imported = |path: &PathBuf| imported.contains(path) || really.contains(&real(path));
        if path.as_ref().is_some_and(is_imported) || (path.is_none() && is_wanted(base, search, imported, locked)) {
            continue;
        }
        let fate = match &path {
            Some(path) if !roots.hold(path) || !roots.hold(&root_of(base, search, path)) => Removal::Outside,
            Some(path) if path.join(".git").symlink_metadata().is_ok() => Removal::Checkout,
            Some(path) if TreeHash::of_folder(path, &nested(&all, path))? != locked.hash => Removal::Edited,
            _ => Removal::Goes,
        };
        found.push(Unused { locked: locked.clone(), path, fate });
    }
    // From the innermost out: one that stays holds those around it.
    found.sort_by_key(|unused| std::cmp::Reverse(unused.path.as_ref().map_or(0, |path| path.components().count())));
    let mut staying: Vec<(PathBuf, PathBuf)> = imported.iter().cloned().zip(really).collect();
    for unused in &mut found {
        let Some(path) = &unused.path else { continue };
        let module_folder = real(path);
        let inside = |(_, inner): &&(PathBuf, PathBuf)| {
            *inner != module_folder && inner.starts_with(&module_folder) && inner.exists()
        };
        if let Some((inner, _)) = staying.iter().find(inside) {
            unused.fate = Removal::Around(inner.clone());
        }
        if !unused.goes() {
            staying.push((path.clone(), module_folder));
        }
    }
    Ok(found)
}

/// Whether it is imported, and only missing.
fn is_wanted(base: &Path, search: &[PathBuf], imported: &[PathBuf], locked: &Locked) -> bool {
    let folders = std::iter::once(base).chain(search.iter().map(PathBuf::as_path));
    folders.map(|folder| folder.join(&locked.path)).any(|path| imported.contains(&path))
}

/// Removes the modules of `wanted` that are still unused. Returns the removed ones.
pub fn prune(
    base: &Path,
    cache: &Path,
    search: &[PathBuf],
    imported: &[PathBuf],
    roots: &Roots,
    wanted: &[Unused],
    cancel: &Cancel,
) -> Result<Vec<Unused>, FetchError> {
    let _alone = alone(base, cache, cancel, &mut |_| {})?;
    finish_earlier(base, roots, false).map_err(|refusal| match refusal {
        Refusal::Fetch(error) => error,
        refusal => FetchError::disk(base, refusal),
    })?;
    let mut lock = Lock::of_folder(base)?;
    let mut gone = unused(base, &lock, search, imported, roots)?;
    gone.retain(|unused| unused.goes() && wanted.iter().any(|wanted| wanted.locked == unused.locked));
    let mut stages: Vec<(PathBuf, Stage)> = Vec::new();
    for (at, unused) in gone.iter().enumerate() {
        let Some(path) = &unused.path else { continue };
        let root = root_of(base, search, path);
        if !stages.iter().any(|(there, _)| *there == root) {
            stages.push((root.clone(), Stage::make(&root)?));
        }
        let stage = stages.iter().find(|(there, _)| *there == root).map(|(_, stage)| stage.folder.join(at.to_string()));
        let Some(stage) = stage else { continue };
        // By one rename, so that whatever looks sees all of it or nothing.
        fs::rename(path, &stage).map_err(|error| FetchError::disk(path, error))?;
        let mut above = path.parent();
        while let Some(folder) = above.filter(|folder| **folder != *root && fs::remove_dir(folder).is_ok()) {
            above = folder.parent();
        }
    }
    lock.modules.retain(|locked| !gone.iter().any(|unused| unused.locked == *locked));
    lock.write(base)?;
    for (root, _) in &stages {
        unmark(&real(root), &real(base))?;
    }
    Ok(gone)
}

/// The folder of modules.
fn root_of(base: &Path, search: &[PathBuf], path: &Path) -> PathBuf {
    let around = search.iter().filter(|folder| path.starts_with(folder));
    around.max_by_key(|folder| folder.components().count()).cloned().unwrap_or_else(|| base.to_path_buf())
}
