//! A world that is a table: for tests, and for replaying what was recorded.

use std::collections::BTreeMap;
use std::path::Path;

use super::{PathKind, Read, ReadError, Sample, World};

/// Answers from a table of samples; what is not in it is not known, a path that is not in it is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    samples: BTreeMap<Read, Result<Sample, ReadError>>,
}

impl Memory {
    pub fn from_samples(samples: BTreeMap<Read, Result<Sample, ReadError>>) -> Self {
        Self { samples }
    }

    /// Adds a file with its content, and its folders.
    pub fn with_file(mut self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        let path = path.as_ref();
        self.samples.insert(Read::File(path.into()), Ok(Sample::Bytes(content.as_ref().into())));
        self.samples.insert(Read::Kind(path.into()), Ok(Sample::Kind(PathKind::File)));
        for folder in path.ancestors().skip(1) {
            self.samples.insert(Read::Kind(folder.into()), Ok(Sample::Kind(PathKind::Folder)));
        }
        self
    }

    /// Sets what is answered to a read.
    pub fn with(mut self, read: Read, sample: Sample) -> Self {
        self.samples.insert(read, Ok(sample));
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Read, &Result<Sample, ReadError>)> {
        self.samples.iter()
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
