//! The hash of a module's files: the same for equal files, whatever their owner and folder.
//!
//! SHA-256 over a line `<SHA-256 of the content> <x or -> <path>` for each file, sorted by path. Empty folders, times and
//! owners do not count.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::FetchError;
use crate::source::hex;

/// 32 bytes that are read and written as hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hex(pub [u8; 32]);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// A file name for something in the cache: the first 32 digits of a SHA-256.
pub fn short_name(of: &[u8]) -> String {
    Hex(Sha256::digest(of).into()).to_string()[..32].to_owned()
}

/// One file of a tree.
pub struct Entry {
    /// Relative, with slashes.
    pub path: String,
    pub executable: bool,
    pub content: Hex,
}

/// The hash of a module's files, as the lock writes it: `sha256:` and 64 digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeHash(pub String);

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Takes entries in the order of their paths.
pub struct Builder(Sha256);

impl TreeHash {
    /// Starts a hash without entries.
    pub fn builder() -> Builder {
        Builder(Sha256::new())
    }

    /// The hash of a folder on disk. `nested` are folders below it that are modules of their own.
    pub fn of_folder(folder: &Path, nested: &[PathBuf]) -> Result<Self, FetchError> {
        let mut files = Vec::new();
        walk(folder, nested, &mut files)?;
        files.sort();
        let mut builder = Self::builder();
        for path in files {
            builder.add(&entry(folder, &path)?);
        }
        Ok(builder.finish())
    }
}

impl Builder {
    /// Adds an entry. Entries must come in the order of their paths.
    pub fn add(&mut self, entry: &Entry) {
        let mark = if entry.executable { 'x' } else { '-' };
        self.0.update(format!("{} {mark} {}\n", entry.content, entry.path).as_bytes());
    }

    /// Returns the hash of the added entries.
    pub fn finish(self) -> TreeHash {
        TreeHash(format!("sha256:{}", Hex(self.0.finalize().into())))
    }
}

/// The files of a module, relative to its folder.
pub fn files_of(folder: &Path, nested: &[PathBuf]) -> Result<Vec<String>, FetchError> {
    let mut files = Vec::new();
    walk(folder, nested, &mut files)?;
    Ok(files)
}

/// More files than this are no module.
const LIMIT: usize = 200_000;

/// The files below a folder, relative to it. A link or a device counts as a file without content: it was never written by
/// a fetch, so the hash differs.
fn walk(root: &Path, nested: &[PathBuf], files: &mut Vec<String>) -> Result<(), FetchError> {
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let here = root.join(&below);
        let read = std::fs::read_dir(&here).map_err(|error| FetchError::disk(&here, error))?;
        for item in read {
            let item = item.map_err(|error| FetchError::disk(&here, error))?;
            let path = below.join(item.file_name());
            let kind = item.file_type().map_err(|error| FetchError::disk(&here, error))?;
            if kind.is_dir() {
                if !nested.contains(&root.join(&path)) {
                    folders.push(path);
                }
            } else {
                files.push(path.to_string_lossy().into_owned());
            }
            if files.len() > LIMIT {
                return Err(FetchError::disk(root, format_args!("more than {LIMIT} files")));
            }
        }
    }
    Ok(())
}

fn entry(root: &Path, path: &str) -> Result<Entry, FetchError> {
    let full = root.join(path);
    let failed = |error: std::io::Error| FetchError::disk(&full, error);
    let stat = std::fs::symlink_metadata(&full).map_err(failed)?;
    if !stat.is_file() {
        return Ok(Entry { path: path.into(), executable: false, content: Hex([0; 32]) });
    }
    let mut hasher = Sha256::new();
    let mut file = File::open(&full).map_err(failed)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            count => hasher.update(&buffer[..count]),
        }
    }
    let executable = stat.permissions().mode() & 0o100 != 0;
    Ok(Entry { path: path.into(), executable, content: Hex(hasher.finalize().into()) })
}
