//! The fetched modules that the user of this state folder approved for this machine, by the hash of their files.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

use super::{StateError, StateFolder};
use crate::host::HostError;

/// Each line holds a hash, a name and, if known, a commit.
const FILE: &str = "approved";
/// The text before the commit.
const COMMIT: &str = " commit=";

/// An approved module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approved {
    pub hash: String,
    /// The name in the import.
    pub name: String,
    pub commit: Option<String>,
}

impl Approved {
    fn parse(line: &str) -> Option<Self> {
        let (hash, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (name, commit) = match rest.rsplit_once(COMMIT) {
            Some((name, commit)) => (name, Some(commit.to_owned())),
            None => (rest, None),
        };
        let is_any = !hash.trim().is_empty();
        is_any.then(|| Self { hash: hash.trim().into(), name: name.trim().into(), commit })
    }

    fn line(&self) -> String {
        let commit = self.commit.iter().map(|commit| format!("{COMMIT}{}", commit.escape_default()));
        format!("{} {}{}\n", self.hash, self.name.escape_default(), commit.collect::<String>())
    }
}

/// The approved modules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    hashes: BTreeSet<String>,
    /// Oldest first.
    all: Vec<Approved>,
}

impl Approvals {
    /// Reads the approvals of a state folder. A missing file has none.
    pub fn read(state: &StateFolder) -> Result<Self, StateError> {
        let path = state.path().join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let all: Vec<_> = text.lines().filter_map(Approved::parse).collect();
                Ok(Self { hashes: all.iter().map(|approved| approved.hash.clone()).collect(), all })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(HostError::std("read", &path, &error).into()),
        }
    }

    /// Whether files with this hash are approved.
    pub fn has(&self, hash: &str) -> bool {
        self.hashes.contains(hash)
    }

    /// Returns the commit of a module's last approval, if known.
    pub fn last_commit(&self, name: &str) -> Option<&str> {
        let written = name.escape_default().to_string();
        self.all.iter().rev().find(|approved| approved.name == written)?.commit.as_deref()
    }

    /// Stores more approvals.
    pub fn add(state: &StateFolder, approved: &[Approved]) -> Result<(), StateError> {
        let path = state.path().join(FILE);
        let known = Self::read(state)?;
        let mut lines = String::new();
        for approved in approved.iter().filter(|approved| !known.has(&approved.hash)) {
            lines.push_str(&approved.line());
        }
        let failed = |error: std::io::Error| StateError::from(HostError::std("write", &path, &error));
        let mut options = fs::OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::mode(options.create(true).append(true), 0o600);
        // One write. A partly written line has a hash that matches no module.
        let mut file = options.open(&path).map_err(failed)?;
        file.write_all(lines.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
    }
}
