//! The last known state of the remotes, stored in the cache: a check needs the network, and its answer stays useful for a while.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::FetchError;
use super::hash::short_name;
use super::look::Latest;
use super::verify::real;

/// One answer. It holds only for the locked commit that it was compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedLatest {
    /// The URL as imported, without its ref.
    pub import: String,
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The commit that was in the lock, or the checksum of the archive.
    pub locked: String,
    /// When, in seconds since 1970.
    pub at: i64,
    pub remote: Latest,
}

/// Keeps answers for the entry in `base`, in the place of older ones of the same modules.
pub fn remember(cache: &Path, base: &Path, mut answers: Vec<CachedLatest>) -> Result<(), FetchError> {
    let path = file(cache, base);
    let older = remembered(cache, base).into_iter();
    let is_same =
        |one: &CachedLatest, other: &CachedLatest| one.import == other.import && one.reference == other.reference;
    let older: Vec<CachedLatest> = older.filter(|old| !answers.iter().any(|new| is_same(new, old))).collect();
    answers.extend(older);
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(cache)?;
        file.write_all(&serde_json::to_vec(&answers)?)?;
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(|error: std::io::Error| FetchError::disk(&path, error))
}

/// The stored state of an entry; unreadable state counts as none.
pub fn remembered(cache: &Path, base: &Path) -> Vec<CachedLatest> {
    let text = fs::read(file(cache, base)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn file(cache: &Path, base: &Path) -> PathBuf {
    cache.join(format!("seen-{}.json", short_name(real(base).as_os_str().as_encoded_bytes())))
}
