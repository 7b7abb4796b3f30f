//! A world with a table over it: recorded results replace reads.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Read, ReadError, Sample, World};

/// Reads and their results.
type Table = BTreeMap<Read, Result<Sample, ReadError>>;

/// Answers from its table, and other reads from the world below.
pub struct Replayed<W> {
    inner: W,
    table: Mutex<Table>,
}

impl<W: World> Replayed<W> {
    /// Makes a world with an empty table, so that it answers as `inner` does.
    pub fn new(inner: W) -> Self {
        Self { inner, table: Mutex::default() }
    }

    /// Sets the results of reads from now on.
    pub fn set(&self, answers: impl IntoIterator<Item = (Read, Result<Sample, ReadError>)>) {
        self.table().extend(answers);
    }

    /// The table stays valid if a reader panics: each change is a single insert.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: World> World for Replayed<W> {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        if let Some(answer) = self.table().get(what) {
            return answer.clone();
        }
        self.inner.read(what)
    }

    fn note(&self, file: &str, line: u32) {
        self.inner.note(file, line);
    }
}
