//! What the overlay holds: an entry for each path that a turn changed, and what each turn replaced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::place::Folder;
use super::system::System;
use crate::host::{FileKind, Stat};

#[derive(Default)]
pub(super) struct Layer {
    pub entries: BTreeMap<PathBuf, Entry>,
    /// All that is not a file.
    pub system: Arc<System>,
    /// What each turn replaced, oldest first.
    pub turns: Vec<Replaced>,
    /// Folders found before, by the path they were asked by.
    pub folders: FxHashMap<PathBuf, Folder>,
}

/// What one turn replaced.
#[derive(Default)]
pub(super) struct Replaced {
    pub entries: Vec<(PathBuf, Option<Entry>)>,
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
    /// `fresh`: nothing of the machine shows through.
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
    /// As the machine has it at a path: the same one where only mode or owner changed, another where it was copied.
    Base {
        path: PathBuf,
        size: u64,
    },
    Unknown,
}

impl Layer {
    /// Changes an entry, and remembers what it was for the turn at work.
    pub fn set(&mut self, path: PathBuf, entry: Entry) {
        let keeps_folders = matches!(entry, Entry::Dir { .. } | Entry::File { .. });
        let before = self.entries.insert(path.clone(), entry);
        // A new plain folder or file cannot make a folder that was found before lead elsewhere; anything else may.
        if !keeps_folders || matches!(before, Some(Entry::Dir { .. } | Entry::Link { .. })) {
            self.folders.clear();
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.entries.push((path, before));
        }
    }

    pub fn drop_below(&mut self, path: &Path) {
        let below: Vec<PathBuf> = self
            .entries
            .range(path.to_path_buf()..)
            .map(|(there, _)| there)
            .take_while(|there| there.starts_with(path))
            .cloned()
            .collect();
        for there in below {
            let before = self.entries.remove(&there);
            if let Some(turn) = self.turns.last_mut() {
                turn.entries.push((there, before));
            }
        }
    }
}

impl Entry {
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
