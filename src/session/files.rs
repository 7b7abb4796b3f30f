//! The files that lie around the entry: those of its tree, of the modules it uses, and of the module path.
//!
//! They are told piece by piece while they are found, and nothing more is looked for as soon as nobody wants it. Where it can
//! be they come in order of their names; a directory of very many names cannot be sorted before its last name is read, so it
//! is set aside, and told after the others as it is read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::{Walk, WalkBuilder};
use rustc_hash::FxHashSet;
use rustix::fs::{Dir, Mode, OFlags};

use super::Session;
use crate::world::Cancel;

/// More files than this are not looked at: nobody picks from so many, and a hostile tree ends.
const MOST_FILES: usize = 500_000;
/// A directory of more names is told as it is read.
const MANY_NAMES: usize = 4_096;
/// So many of its files are put in order and told together.
const PORTION: usize = 1_024;
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
        walk(&base, true, cancel, &mut |path| {
            seen.insert(path.clone());
            told.add(path)
        });
        let modules = self.modules().modules.into_iter().map(|module| module.path);
        let folders = modules.chain(self.search_path().into_iter().map(|folder| folder.path));
        let mut walked = FxHashSet::from_iter([base]);
        for folder in folders.collect::<Vec<_>>() {
            if walked.insert(folder.clone()) && !cancel.is_cancelled() {
                walk(&folder, false, cancel, &mut |path| if seen.insert(path.clone()) { told.add(path) } else { true });
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

/// Goes through the files below a folder until it is told that there are enough.
fn walk(folder: &Path, ignores: bool, cancel: &Cancel, found: &mut dyn FnMut(PathBuf) -> bool) {
    if has_many_names(folder) {
        portions(below(folder, ignores).build(), cancel, found);
        return;
    }
    let large: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let aside = Arc::clone(&large);
    let mut walk = below(folder, ignores);
    walk.sort_by_file_name(Ord::cmp).filter_entry(move |entry| {
        let is_large = entry.file_type().is_some_and(|kind| kind.is_dir()) && has_many_names(entry.path());
        if is_large {
            aside.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_path_buf());
        }
        !is_large
    });
    for path in files(walk.build(), cancel) {
        if !found(path) {
            return;
        }
    }
    let large = std::mem::take(&mut *large.lock().unwrap_or_else(PoisonError::into_inner));
    for folder in large {
        if !portions(below(&folder, ignores).build(), cancel, found) {
            return;
        }
    }
}

fn below(folder: &Path, ignores: bool) -> WalkBuilder {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(ignores).hidden(true).follow_links(false).max_depth(Some(64));
    walk
}

/// Tells files in no order, but so many of them together in order of their names; false once there are enough.
fn portions(walk: Walk, cancel: &Cancel, found: &mut dyn FnMut(PathBuf) -> bool) -> bool {
    let mut files = files(walk, cancel);
    loop {
        let mut portion: Vec<PathBuf> = files.by_ref().take(PORTION).collect();
        if portion.is_empty() {
            return true;
        }
        // By their bytes: taking so many paths apart would take longer than reading them.
        portion.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        if !portion.into_iter().all(&mut *found) {
            return false;
        }
    }
}

fn files(walk: Walk, cancel: &Cancel) -> impl Iterator<Item = PathBuf> {
    let entries = walk.take_while(|_| !cancel.is_cancelled()).flatten();
    entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).map(|entry| entry.into_path())
}

/// Whether a directory has so many names that somebody would wait for the last of them.
fn has_many_names(folder: &Path) -> bool {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let names = rustix::fs::open(folder, flags, Mode::empty()).and_then(Dir::new);
    names.is_ok_and(|names| names.take(MANY_NAMES + 1).count() > MANY_NAMES)
}
