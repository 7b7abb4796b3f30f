//! A world with a table laid over it: what a record says was read stands in for what would be read now.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Read, ReadError, Sample, World};

/// What was read, and how it ended.
type Table = BTreeMap<Read, Result<Sample, ReadError>>;

/// Answers from its table, and from the world below where that says nothing.
pub struct Replayed<W> {
    inner: W,
    table: Mutex<Table>,
}

impl<W: World> Replayed<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, table: Mutex::default() }
    }

    /// Sets what reads give from now on.
    pub fn set(&self, answers: impl IntoIterator<Item = (Read, Result<Sample, ReadError>)>) {
        self.table().extend(answers);
    }

    /// The table stays whole when a reader panics: each change to it is a single insert.
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
}
