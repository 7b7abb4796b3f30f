//! What lies around the entry: the files of its tree and of the module path, and the lines in them that hold words.
//!
//! All is told piece by piece while it is found, and ends as soon as nobody wants it any more.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use regex::bytes::{Regex, RegexBuilder};
use rustc_hash::FxHashSet;

use super::Session;
use crate::world::Cancel;

/// More files than this are not looked at: nobody picks from so many, and a hostile tree ends.
const MOST_FILES: usize = 500_000;
/// Longer files are not searched: they are no sources.
const MOST_BYTES: u64 = 4 << 20;
/// What tells a file of bytes from one of text stands near its start.
const HEAD: usize = 8 << 10;
/// Longer lines are cut.
const MOST_LINE: usize = 400;
/// What was found so far is told at least this often.
const OFTEN: Duration = Duration::from_millis(15);
const MOST_AT_ONCE: usize = 4_096;

/// A line that holds what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Line and column, both from 1.
    pub line: u32,
    pub column: u32,
    /// Without the white space around it.
    pub text: String,
}

/// Words that are looked for in lines.
#[derive(Clone, Debug)]
pub struct Wanted(Regex);

impl Wanted {
    /// Reads an expression; one that is none is taken as it stands. Words without capitals find either case.
    pub fn new(words: &str) -> Self {
        let either_case = !words.chars().any(char::is_uppercase);
        let built = |pattern: &str| {
            RegexBuilder::new(pattern).case_insensitive(either_case).size_limit(1 << 20).multi_line(true).build()
        };
        let expression = built(words).or_else(|_| built(&regex::escape(words)));
        Self(expression.unwrap_or_else(|_| Regex::new("$^").expect("an expression that finds nothing")))
    }

    /// The lines of a text that hold them, at most so many.
    pub fn hits(&self, text: &[u8], most: usize) -> Vec<Hit> {
        let mut hits = Vec::new();
        let (mut at, mut line) = (0, 1);
        while at < text.len() && hits.len() < most {
            let Some(found) = self.0.find_at(text, at) else { break };
            line += text[at..found.start()].iter().filter(|byte| **byte == b'\n').count() as u32;
            let begin = text[..found.start()].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let end = text[found.start()..].iter().position(|byte| *byte == b'\n');
            let end = end.map_or(text.len(), |end| found.start() + end);
            let column = String::from_utf8_lossy(&text[begin..found.start()]).chars().count() as u32 + 1;
            let shown = String::from_utf8_lossy(&text[begin..end]);
            let shown: String = shown.trim().chars().take(MOST_LINE).collect();
            hits.push(Hit { line, column, text: shown });
            (at, line) = (end + 1, line + 1);
        }
        hits
    }
}

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

/// The lines of a file that hold words; nothing where it is no text, or too long to be a source.
pub fn find_lines(path: &Path, wanted: &Wanted, most: usize) -> Vec<Hit> {
    // A pipe that took the file's place would never answer.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, rustix::fs::Mode::empty()) else { return Vec::new() };
    let file = std::fs::File::from(file);
    if !file.metadata().is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES) {
        return Vec::new();
    }
    let mut text = Vec::new();
    if file.take(MOST_BYTES).read_to_end(&mut text).is_err() || text[..text.len().min(HEAD)].contains(&0) {
        return Vec::new();
    }
    wanted.hits(&text, most)
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

/// Goes through the files below a folder, in order of their names, until it is told that there are enough.
fn walk(folder: &Path, ignores: bool, cancel: &Cancel, found: &mut dyn FnMut(PathBuf) -> bool) {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(ignores).hidden(true).follow_links(false).sort_by_file_name(Ord::cmp).max_depth(Some(64));
    for entry in walk.build().flatten() {
        if cancel.is_cancelled() {
            return;
        }
        if entry.file_type().is_some_and(|kind| kind.is_file()) && !found(entry.into_path()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_with_their_places() {
        let text = b"one\n\ttwo Two\n\ntwo\nlast \xff two";
        let places = |words: &str| -> Vec<(u32, u32)> {
            Wanted::new(words).hits(text, 9).iter().map(|hit| (hit.line, hit.column)).collect()
        };
        assert_eq!(places("two"), [(2, 2), (4, 1), (5, 8)]);
        assert_eq!(places("Two"), [(2, 6)]);
        assert_eq!(places("^t.o$"), [(4, 1)]);
        assert_eq!(places("two ("), []);
        assert_eq!(Wanted::new("(").hits(b"a(b", 9).len(), 1);
        assert_eq!(Wanted::new("").hits(b"a\nb", 9).len(), 2);
        assert_eq!(Wanted::new("two").hits(text, 2).len(), 2);
    }
}
