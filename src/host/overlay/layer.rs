//! The data of the overlay: an entry for each changed path, and what each turn replaced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::place::Folder;
use super::system::System;
use crate::host::{FileKind, Stat};

#[derive(Default)]
pub(super) struct Layer {
    pub entries: BTreeMap<PathBuf, Entry>,
    /// The uncertain entries.
    pub guesses: FxHashSet<PathBuf>,
    /// The facets other than files.
    pub system: Arc<System>,
    /// What each turn replaced, oldest first.
    pub turns: Vec<Replaced>,
    /// Resolved folders, by the requested path.
    pub folders: FxHashMap<PathBuf, Folder>,
}

/// What one turn replaced.
#[derive(Default)]
pub(super) struct Replaced {
    /// With whether each was a guess.
    pub entries: Vec<(PathBuf, Option<Entry>, bool)>,
    pub system: Option<Arc<System>>,
}

#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// A tombstone.
    Absent,
    File {
        content: Content,
        mode: u32,
        uid: u32,
        gid: u32,
    },
    /// `fresh`: nothing of the machine is visible.
    Dir {
        mode: u32,
        uid: u32,
        gid: u32,
        fresh: bool,
    },
    Link {
        target: PathBuf,
    },
    /// An unknown step may make something here.
    Unknown,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Bytes(Arc<[u8]>),
    /// The machine's content at a path: the same path if only mode or owner changed, another one after a copy.
    Base {
        path: PathBuf,
        size: u64,
    },
    Unknown,
}

impl Layer {
    /// Changes an entry, and logs the old one for the current turn.
    pub fn set(&mut self, path: PathBuf, entry: Entry, is_guess: bool) {
        let keeps_folders = matches!(entry, Entry::Dir { .. } | Entry::File { .. });
        let was_guess = if is_guess { !self.guesses.insert(path.clone()) } else { self.guesses.remove(&path) };
        let before = self.entries.insert(path.clone(), entry);
        // A new plain folder or file does not change the resolution of other folders. Any other entry may.
        let leads = matches!(before, Some(Entry::Dir { .. } | Entry::Link { .. }));
        if !keeps_folders || leads || was_guess != is_guess {
            self.folders.clear();
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.entries.push((path, before, was_guess));
        }
    }

    /// Removes the entries of a path and of all paths below it. They are logged for the current turn.
    pub fn drop_below(&mut self, path: &Path) {
        let below: Vec<PathBuf> = self
            .entries
            .range(path.to_path_buf()..)
            .map(|(there, _)| there)
            .take_while(|there| there.starts_with(path))
            .cloned()
            .collect();
        for there in below {
            let (before, was_guess) = (self.entries.remove(&there), self.guesses.remove(&there));
            if let Some(turn) = self.turns.last_mut() {
                turn.entries.push((there, before, was_guess));
            }
        }
    }
}

impl Entry {
    /// Whether some part of the entry is unknown.
    pub fn is_open(&self) -> bool {
        matches!(self, Entry::Unknown | Entry::File { content: Content::Unknown, .. })
    }

    /// Returns the attributes of the entry. An absent or unknown one has none and is of the kind `Other`.
    pub fn stat(&self) -> Stat {
        match self {
            Entry::File { content, mode, uid, gid } => {
                let size = match content {
                    Content::Bytes(bytes) => bytes.len() as u64,
                    Content::Base { size, .. } => *size,
                    Content::Unknown => 0,
                };
                Stat { kind: FileKind::File, mode: *mode, uid: *uid, gid: *gid, size }
            }
            Entry::Dir { mode, uid, gid, .. } => {
                Stat { kind: FileKind::Dir, mode: *mode, uid: *uid, gid: *gid, size: 0 }
            }
            Entry::Link { target } => {
                let size = target.as_os_str().len() as u64;
                Stat { kind: FileKind::Link, mode: 0o777, uid: 0, gid: 0, size }
            }
            Entry::Absent | Entry::Unknown => Stat { kind: FileKind::Other, mode: 0, uid: 0, gid: 0, size: 0 },
        }
    }
}
