//! Small files that the faces save between sessions in the state folder: bounded, and private to this user.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::session::{Session, state_path};
use crate::source::hex;

/// Longer files are not ours.
pub const LONGEST: usize = 64 * 1024;
/// The oldest files are deleted beyond this number.
const MOST: usize = 200;

/// Returns the saved text with a name; `None` if there is none.
pub fn recall(state: Option<&PathBuf>, name: &str) -> Result<Option<String>, String> {
    let Ok(folder) = folder(state) else { return Ok(None) };
    let path = folder.join(name);
    let file = match fs::File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let mut text = String::new();
    let read = file.take(LONGEST as u64 + 1).read_to_string(&mut text);
    let read = read.map_err(|error| format!("{}: {error}", path.display()))?;
    if read > LONGEST {
        return Err(format!("{}: longer than {LONGEST} bytes", path.display()));
    }
    Ok(Some(text))
}

/// Saves a text and replaces an older one. An empty text deletes it.
pub fn keep(state: Option<&PathBuf>, name: &str, text: &str) -> Result<(), String> {
    let folder = folder(state)?;
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    if text.is_empty() {
        return match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        };
    }
    if text.len() > LONGEST {
        return Err(format!("more than {LONGEST} bytes"));
    }
    make(&folder).map_err(failed)?;
    // Private, and renamed, so that a concurrent reader sees the old or the new one.
    let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist(folder.join(name)).map_err(|error| failed(error.error))?;
    forget_the_oldest(&folder).map_err(failed)
}

impl Session {
    /// Returns the name under which data of this entry is saved; `None` for code without a file.
    pub fn keepsake(&self) -> Option<String> {
        let file = self.entry().file.as_ref()?;
        let resolved = file.canonicalize().ok()?;
        Some(hex(&Sha256::digest(resolved.as_os_str().as_encoded_bytes())[..16]))
    }
}

/// Returns the path of a saved text.
pub fn path(state: Option<&PathBuf>, name: &str) -> Result<PathBuf, String> {
    Ok(folder(state)?.join(name))
}

fn folder(state: Option<&PathBuf>) -> Result<PathBuf, String> {
    state_path(state).map(|path| path.join("screens")).map_err(|error| error.to_string())
}

fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn forget_the_oldest(folder: &Path) -> io::Result<()> {
    let mut kept: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        })
        .collect();
    kept.sort();
    let more = kept.len().saturating_sub(MOST);
    kept.iter().take(more).try_for_each(|(_, path)| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_saved_state_is_restored_and_small() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().expect("a folder");
        let path = state.path().to_path_buf();
        assert_eq!(recall(Some(&path), "a"), Ok(None));
        keep(Some(&path), "a", "one").expect("it is kept");
        keep(Some(&path), "a", "two").expect("it is kept");
        assert_eq!(recall(Some(&path), "a"), Ok(Some("two".into())));
        let mode = fs::metadata(path.join("screens/a")).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(keep(Some(&path), "a", &"x".repeat(70_000)).is_err());
        fs::write(path.join("screens/b"), "x".repeat(70_000)).expect("a file");
        assert!(recall(Some(&path), "b").is_err());
        for number in 0..MOST + 20 {
            keep(Some(&path), &number.to_string(), "x").expect("it is kept");
        }
        assert_eq!(fs::read_dir(path.join("screens")).expect("a folder").count(), MOST);
        keep(Some(&path), "a", "").expect("it is forgotten");
        assert_eq!(recall(Some(&path), "a"), Ok(None));
    }
}
