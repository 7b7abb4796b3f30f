//! The files that lie around the entry: those of its tree, of the modules it uses, and of the module path.
//!
//! They are told piece by piece while they are found, and nothing more is looked for as soon as nobody wants it.

mod rules;
mod walk;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use super::Session;
use crate::world::Cancel;
use rules::Rules;
use walk::walk;

/// More files than this are not looked at: nobody picks from so many, and a hostile tree ends.
const MOST_FILES: usize = 500_000;
/// What was found so far is told at least this often.
const OFTEN: Duration = Duration::from_millis(15);
const MOST_AT_ONCE: usize = 4_096;

impl Session {
    /// Tells all files: those below the entry's folder, of the modules it uses, and of the module path.
    ///
    /// Hidden files and those that `.gitignore` names are left out, save in folders of modules; links are not followed.
    pub fn find_files(&self, cancel: &Cancel, tell: &mut dyn FnMut(Vec<PathBuf>)) {
        let here = PathBuf::from(".");
        let base = &self.entry.base;
        let base = if base.as_os_str().is_empty() { here } else { base.clone() };
        let mut told = Told { batch: Vec::new(), since: Instant::now(), count: 0, tell };
        let mut seen: FxHashSet<PathBuf> = FxHashSet::default();
        walk(&base, Rules::of(&base), cancel, &mut |path| {
            seen.insert(path.clone());
            told.add(path)
        });
        let modules = self.modules().modules.into_iter().map(|module| module.path);
        let folders = modules.chain(self.search_path().into_iter().map(|folder| folder.path));
        let mut walked = FxHashSet::from_iter([base]);
        for folder in folders.collect::<Vec<_>>() {
            if walked.insert(folder.clone()) && !cancel.is_cancelled() {
                walk(&folder, Rules::default(), cancel, &mut |path| {
                    if seen.insert(path.clone()) { told.add(path) } else { true }
                });
            }
        }
        told.flush();
    }
}

/// What was found and not told yet.
struct Told<'a> {
    batch: Vec<PathBuf>,
    since: Instant,
    count: usize,
    tell: &'a mut dyn FnMut(Vec<PathBuf>),
}

impl Told<'_> {
    /// False where there are enough.
    fn add(&mut self, path: PathBuf) -> bool {
        self.batch.push(path);
        self.count += 1;
        if self.batch.len() >= MOST_AT_ONCE || self.since.elapsed() >= OFTEN {
            self.flush();
        }
        self.count < MOST_FILES
    }

    fn flush(&mut self) {
        if !self.batch.is_empty() {
            (self.tell)(std::mem::take(&mut self.batch));
        }
        self.since = Instant::now();
    }
}
