//! Everything evaluation may read: files, facts, environment, clock, shared store. One call, and every read is data.
//!
//! A [`Read`] says what is asked, a [`Sample`] what was seen. So a world can be recorded, frozen, replayed and watched
//! without knowing who asks. Deliberately absent: writing, and commands of the user (they are samples that somebody
//! must allow first).

mod cancel;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use cancel::Cancel;

/// A question to the machine. Grows with what built-in functions ask; keep it plain data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Read {
    /// The whole content of a file.
    File(PathBuf),
    /// What is at a path, links followed.
    Kind(PathBuf),
    /// The names in a folder, sorted.
    Folder(PathBuf),
    Hostname,
    /// The time of day, in whole seconds since 1970.
    Now,
    Environment,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sample {
    Bytes(Arc<[u8]>),
    Kind(PathKind),
    Names(Vec<String>),
    Text(String),
    Integer(i64),
    Pairs(BTreeMap<String, String>),
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathKind {
    Missing,
    File,
    Folder,
    Other,
}

/// Why a read has no sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ReadError {
    #[error("{}: not found", .0.display())]
    NotFound(PathBuf),
    #[error("{}: {reason}", .path.display())]
    Failed { path: PathBuf, reason: String },
    #[error("{}: larger than {limit} bytes", .path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("not known here: {0}")]
    Unknown(String),
}

/// The readable side of a machine.
pub trait World: Send + Sync {
    fn read(&self, what: &Read) -> Result<Sample, ReadError>;
}

impl dyn World + '_ {
    /// The bytes of a file.
    pub fn file(&self, path: &Path) -> Result<Arc<[u8]>, ReadError> {
        match self.read(&Read::File(path.into()))? {
            Sample::Bytes(bytes) => Ok(bytes),
            _ => Err(ReadError::Unknown(format!("content of {}", path.display()))),
        }
    }

    /// What is at a path; anything that cannot be looked at counts as missing.
    pub fn kind(&self, path: &Path) -> PathKind {
        match self.read(&Read::Kind(path.into())) {
            Ok(Sample::Kind(kind)) => kind,
            _ => PathKind::Missing,
        }
    }

    /// The host name that programs see; empty when it is set so.
    pub fn hostname(&self) -> String {
        match self.read(&Read::Hostname) {
            Ok(Sample::Text(name)) => name,
            _ => String::new(),
        }
    }
}
