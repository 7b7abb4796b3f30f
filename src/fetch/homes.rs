//! The fetched module around a file, however the file was reached: through a link, from inside, for another entry.
//!
//! Every lock above a file names the modules that were fetched below it, and the notes of [`mark`](super::mark) name those in
//! other folders. The outermost one counts: the locks inside a fetched module are not trusted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::FetchError;
use super::lock::{LOCK_FILE, Lock};
use super::mark::marked;

/// A folder that a download created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The URL as imported, without its ref.
    pub import: String,
    /// Without links.
    pub path: PathBuf,
}

/// The fetched modules around some files, each folder above them looked at once.
#[derive(Debug, Default)]
pub struct Homes {
    known: BTreeMap<PathBuf, Arc<[Home]>>,
}

impl Homes {
    /// The fetched module around a file or folder, and after it the modules inside that one. `real` has no links.
    ///
    /// A lock or a note that cannot be read is an error: what it would say is not known.
    pub fn around(&mut self, real: &Path) -> Result<Vec<Home>, FetchError> {
        let mut folders: Vec<&Path> = real.ancestors().collect();
        folders.reverse();
        for folder in folders {
            let homes = self.declared_in(folder)?;
            let innermost =
                homes.iter().filter(|home| real.starts_with(&home.path)).max_by_key(|home| depth(&home.path));
            if let Some(home) = innermost {
                let inside = homes.iter().filter(|other| other.path != home.path && other.path.starts_with(&home.path));
                return Ok(std::iter::once(home).chain(inside).cloned().collect());
            }
        }
        Ok(Vec::new())
    }

    /// Whether the lock or the notes in a folder name fetched modules. One that cannot be read may.
    pub fn has_some(&mut self, folder: &Path) -> bool {
        self.declared_in(folder).map_or(true, |homes| !homes.is_empty())
    }

    /// What the lock and the notes in a folder say.
    fn declared_in(&mut self, folder: &Path) -> Result<Arc<[Home]>, FetchError> {
        if let Some(known) = self.known.get(folder) {
            return Ok(Arc::clone(known));
        }
        let mut declared: Vec<(String, String)> = marked(folder)?.into_iter().map(|it| (it.import, it.path)).collect();
        let lock = folder.join(LOCK_FILE);
        if lock.is_file() {
            let lock = Lock::of_folder(folder)?;
            declared.extend(lock.modules.into_iter().map(|locked| (locked.import, locked.path)));
        }
        let home =
            |(import, path): (String, String)| Some(Home { import, path: folder.join(path).canonicalize().ok()? });
        let mut homes: Vec<Home> = declared.into_iter().filter_map(home).collect();
        homes.sort_by(|a, b| a.path.cmp(&b.path));
        homes.dedup_by(|a, b| a.path == b.path);
        let homes: Arc<[Home]> = homes.into();
        self.known.insert(folder.to_path_buf(), Arc::clone(&homes));
        Ok(homes)
    }
}

fn depth(path: &Path) -> usize {
    path.components().count()
}
