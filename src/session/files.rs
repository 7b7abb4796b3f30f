//! The files that lie around the entry: those of its tree, of the modules it uses, and of the module path.
//!
//! They are told piece by piece while they are found, and nothing more is looked for as soon as nobody wants it. A folder of very
//! many names cannot be put in order before its last one is read, so the order is that of each piece; what lies in the topmost
//! folder comes first, and what lies below it in one piece where it is little.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use rustc_hash::FxHashSet;

use super::Session;
use crate::world::Cancel;

/// More files than this are not looked at: nobody picks from so many, and a hostile tree ends.
const MOST_FILES: usize = 500_000;
/// Folders are not entered deeper than this.
const DEEPEST: usize = 64;
/// What was found so far is told at least this often,
const OFTEN: Duration = Duration::from_millis(15);
/// unless it is so little that it can still be put in order with what follows.
const LITTLE: usize = 1_024;

impl Session {
    /// Tells all files: those below the entry's folder, of the modules it uses, and of the module path.
    ///
    /// Hidden files and those that `.gitignore` names are left out, save in folders of modules; links are not followed.
    pub fn find_files(&self, cancel: &Cancel, tell: &mut dyn FnMut(Vec<PathBuf>)) {
        let here = PathBuf::from(".");
        let base = &self.entry.base;
        let base = if base.as_os_str().is_empty() { here } else { base.clone() };
        let mut told = Told { batch: vec![], since: Instant::now(), seen: FxHashSet::default(), tell };
        told.walk(&base, true, cancel);
        let modules = self.modules().modules.into_iter().map(|module| module.path);
        let folders = modules.chain(self.search_path().into_iter().map(|folder| folder.path));
        let mut walked = FxHashSet::from_iter([base]);
        for folder in folders.collect::<Vec<_>>() {
            if walked.insert(folder.clone()) {
                told.walk(&folder, false, cancel);
            }
        }
    }
}

/// What was found and not told yet.
struct Told<'a> {
    batch: Vec<PathBuf>,
    since: Instant,
    seen: FxHashSet<PathBuf>,
    tell: &'a mut dyn FnMut(Vec<PathBuf>),
}

impl Told<'_> {
    /// Tells the files below a folder, its own first.
    fn walk(&mut self, folder: &Path, ignores: bool, cancel: &Cancel) {
        for depth in [1, DEEPEST] {
            let mut walk = WalkBuilder::new(folder);
            walk.standard_filters(ignores).hidden(true).follow_links(false).max_depth(Some(depth));
            for entry in walk.build().flatten() {
                if cancel.is_cancelled() || self.seen.len() >= MOST_FILES {
                    return self.flush();
                }
                if entry.file_type().is_some_and(|kind| kind.is_file()) {
                    self.add(entry.into_path());
                }
            }
            self.flush();
        }
    }

    fn add(&mut self, path: PathBuf) {
        if !self.seen.insert(path.clone()) {
            return;
        }
        self.batch.push(path);
        if self.batch.len() >= LITTLE && self.since.elapsed() >= OFTEN {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.batch.is_empty() {
            // Folder by folder; to take so many paths apart would take longer than to read them.
            let in_order = |path: &PathBuf| -> Vec<u8> {
                let bytes = path.as_os_str().as_bytes();
                bytes.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }).collect()
            };
            self.batch.sort_by_cached_key(in_order);
            (self.tell)(std::mem::take(&mut self.batch));
        }
        self.since = Instant::now();
    }
}
