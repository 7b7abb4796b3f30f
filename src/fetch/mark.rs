//! Notes in a module path outside its projects: which of its modules were fetched, for readers that do not see the lock.
//!
//! A module below a lock is found through that lock. A module elsewhere is not: the lock has only its path in some module
//! path. So the folder of modules has one file for each entry that downloads into it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::FetchError;
use super::hash::short_name;

/// The folder of the notes, in a folder of modules.
const FOLDER: &str = ".workbench-modules";

const HEADER: &str =
    "# Modules fetched by `workbench download`. They cannot change this machine before they are approved.\n";

/// A module that was fetched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marked {
    /// The URL as imported, without its ref.
    pub import: String,
    /// Its path, relative to the folder of modules.
    pub path: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Note {
    #[serde(rename = "module", default)]
    modules: Vec<Marked>,
}

/// Notes modules that are below a folder, or will be. Older notes stay as long as their modules are there.
pub fn mark(root: &Path, base: &Path, modules: &[Marked]) -> Result<(), FetchError> {
    let path = note_of(root, base);
    let mut wanted = modules.to_vec();
    wanted.extend(read(&path)?.into_iter().filter(|marked| root.join(&marked.path).is_dir()));
    wanted.sort();
    wanted.dedup();
    write(&path, wanted)
}

/// Forgets modules that were removed.
pub fn unmark(root: &Path, base: &Path) -> Result<(), FetchError> {
    let path = note_of(root, base);
    match read(&path)? {
        none if none.is_empty() => Ok(()),
        mut noted => {
            noted.retain(|marked| root.join(&marked.path).is_dir());
            write(&path, noted)
        }
    }
}

/// The modules in all notes of a folder. An unreadable note is an error, because its modules are unknown.
pub fn marked(root: &Path) -> Result<Vec<Marked>, FetchError> {
    let folder = root.join(FOLDER);
    let notes = match fs::read_dir(&folder) {
        Ok(notes) => notes,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(FetchError::disk(&folder, error)),
    };
    let mut all = Vec::new();
    for note in notes {
        let note = note.map_err(|error| FetchError::disk(&folder, error))?.path();
        if note.extension().is_some_and(|extension| extension == "toml") {
            all.extend(read(&note)?);
        }
    }
    Ok(all)
}

fn note_of(root: &Path, base: &Path) -> PathBuf {
    root.join(FOLDER).join(format!("{}.toml", short_name(base.as_os_str().as_encoded_bytes())))
}

fn read(path: &Path) -> Result<Vec<Marked>, FetchError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FetchError::disk(path, error)),
    };
    let note: Note = toml::from_str(&text).map_err(|error| FetchError::disk(path, error.message()))?;
    Ok(note.modules)
}

fn write(path: &Path, modules: Vec<Marked>) -> Result<(), FetchError> {
    let text = HEADER.to_owned() + &toml::to_string(&Note { modules }).expect("strings always make TOML");
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    let replace = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(".note-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    replace().map_err(|error: io::Error| FetchError::disk(path, error))
}
