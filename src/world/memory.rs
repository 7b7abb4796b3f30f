//! A world in memory, for tests and measurements.

use std::collections::BTreeMap;

use super::{PathKind, Read, ReadError, Sample, World};

/// Answers from a table of samples. Other reads fail, and other paths are missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    samples: BTreeMap<Read, Result<Sample, ReadError>>,
}

impl Memory {
    /// Sets the sample of a read.
    pub fn with(self, read: Read, sample: Sample) -> Self {
        self.with_answer(read, Ok(sample))
    }

    /// The same with a result that may be an error.
    pub fn with_answer(mut self, read: Read, answer: Result<Sample, ReadError>) -> Self {
        self.samples.insert(read, answer);
        self
    }
}

impl World for Memory {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        match (self.samples.get(what), what) {
            (Some(sample), _) => sample.clone(),
            (None, Read::Kind(_)) => Ok(Sample::Kind(PathKind::Missing)),
            (None, Read::File(path) | Read::Folder(path) | Read::Link(path)) => Err(ReadError::NotFound(path.clone())),
            (None, other) => Err(ReadError::Unknown(format!("{other:?}"))),
        }
    }
}
