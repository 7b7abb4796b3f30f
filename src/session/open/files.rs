//! Finds the files of an entry: its tree, the modules that it uses, and the module path.
//!
//! Files are reported in batches while they are found, until the caller cancels. Sorting a very large folder would have
//! to wait for its last name, so only each batch is sorted. The top folder comes first. A small tree is one batch.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use rustc_hash::FxHashSet;

use crate::session::Session;
use crate::world::Cancel;

/// The largest number of files. It also bounds a hostile tree.
const MOST_FILES: usize = 500_000;
/// The deepest folder to enter.
const DEEPEST: usize = 64;
/// The longest time between batches,
const OFTEN: Duration = Duration::from_millis(15);
/// unless there are so few files that they can still be sorted with the following ones.
const LITTLE: usize = 1_024;

impl Session {
    /// Reports all files below the entry's folder, of the modules that it uses, and of the module path.
    ///
    /// Leaves out hidden files and those that `.gitignore` names, except in folders of modules. Does not follow links.
    pub fn find_files(&self, cancel: &Cancel, report: &mut dyn FnMut(Vec<PathBuf>)) {
        let here = PathBuf::from(".");
        let base = &self.entry.base;
        let base = if base.as_os_str().is_empty() { here } else { base.clone() };
        let mut batcher = Batcher { batch: vec![], since: Instant::now(), seen: FxHashSet::default(), report };
        batcher.walk(&base, true, cancel);
        let modules = self.modules().modules.into_iter().map(|module| module.path);
        let folders = modules.chain(self.search_path().into_iter().map(|folder| folder.path));
        let mut walked = FxHashSet::from_iter([base]);
        for folder in folders.collect::<Vec<_>>() {
            if walked.insert(folder.clone()) {
                batcher.walk(&folder, false, cancel);
            }
        }
    }
}

/// The files that are not reported yet.
struct Batcher<'a> {
    batch: Vec<PathBuf>,
    since: Instant,
    seen: FxHashSet<PathBuf>,
    report: &'a mut dyn FnMut(Vec<PathBuf>),
}

impl Batcher<'_> {
    /// Reports the files below a folder, its own first.
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
            // Compares folder by folder, on bytes: splitting so many paths would take longer than reading them.
            let in_order = |path: &PathBuf| -> Vec<u8> {
                let bytes = path.as_os_str().as_bytes();
                bytes.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }).collect()
            };
            self.batch.sort_by_cached_key(in_order);
            (self.report)(std::mem::take(&mut self.batch));
        }
        self.since = Instant::now();
    }
}
