//! A world that does not change: each read is asked once of another world, then answered from memory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Read, ReadError, Sample, World};

/// Makes evaluation repeatable over any world.
pub struct Frozen<W> {
    inner: W,
    /// With the standard hasher: a program chooses the paths.
    seen: Mutex<HashMap<Read, Result<Sample, ReadError>>>,
}

impl<W: World> Frozen<W> {
    /// Makes a world that has answered nothing yet.
    pub fn new(inner: W) -> Self {
        Self { inner, seen: Mutex::default() }
    }

    /// Returns all reads so far, sorted, with their results.
    pub fn answers(&self) -> Vec<(Read, Result<Sample, ReadError>)> {
        let mut all: Vec<_> = self.seen().iter().map(|(read, answer)| (read.clone(), answer.clone())).collect();
        all.sort_by(|(one, _), (two, _)| one.cmp(two));
        all
    }

    /// The table stays valid if a reader panics: each change is a single insert.
    fn seen(&self) -> MutexGuard<'_, HashMap<Read, Result<Sample, ReadError>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: World> World for Frozen<W> {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        if let Some(sample) = self.seen().get(what) {
            return sample.clone();
        }
        // Without the lock: a slow read must not delay others that are answered already.
        let sample = self.inner.read(what);
        self.seen().entry(what.clone()).or_insert(sample).clone()
    }

    fn announce(&self, reads: &[Read]) {
        let open: Vec<Read> = {
            let seen = self.seen();
            reads.iter().filter(|read| !seen.contains_key(read)).cloned().collect()
        };
        if open.len() > 1 {
            let answers = self.inner.read_all(&open);
            let mut seen = self.seen();
            for (read, answer) in open.into_iter().zip(answers) {
                seen.entry(read).or_insert(answer);
            }
        }
    }

    fn note(&self, file: &str, line: u32) {
        self.inner.note(file, line);
    }
}
