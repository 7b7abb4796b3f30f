//! Which fetched modules the user of this state folder has read and lets act on this machine, by the hash of their files.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

use super::{StateError, StateFolder};
use crate::host::HostError;

/// One hash and one name a line; the name is for people.
const FILE: &str = "approved";

/// The approved hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    hashes: BTreeSet<String>,
}

impl Approvals {
    pub fn read(state: &StateFolder) -> Result<Self, StateError> {
        let path = state.path().join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let hash = |line: &str| line.split_whitespace().next().map(str::to_string);
                Ok(Self { hashes: text.lines().filter_map(hash).collect() })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(HostError::std("read", &path, &error).into()),
        }
    }

    pub fn has(&self, hash: &str) -> bool {
        self.hashes.contains(hash)
    }

    /// Remembers more of them: (hash, name).
    pub fn add(state: &StateFolder, approved: &[(String, String)]) -> Result<(), StateError> {
        let path = state.path().join(FILE);
        let known = Self::read(state)?;
        let mut lines = String::new();
        for (hash, name) in approved.iter().filter(|(hash, _)| !known.has(hash)) {
            lines.push_str(&format!("{hash} {}\n", name.escape_default()));
        }
        let failed = |error: std::io::Error| StateError::from(HostError::std("write", &path, &error));
        let mut options = fs::OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::mode(options.create(true).append(true), 0o600);
        // One write: a line is there whole, or its hash is not the one that is asked for.
        let mut file = options.open(&path).map_err(failed)?;
        file.write_all(lines.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
    }
}
