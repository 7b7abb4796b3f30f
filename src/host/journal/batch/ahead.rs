//! Operations in order: one wait makes all preparations durable, and one wait per operation its name.
//!
//! No operation begins before the previous one is durable, so a crash leaves a prefix of them done. The preparations of
//! the others are intents, which recovery finds not done, and temporary files, which it removes.

use super::{Going, JournalledBatch};
use crate::host::journal::record::Record;
use crate::host::{About, Ahead, HostError, Operation};

pub(super) struct InOrder<'a> {
    batch: &'a JournalledBatch<'a>,
    going: std::vec::IntoIter<Going<'a>>,
}

impl<'a> InOrder<'a> {
    /// Prepares all operations. Their before-images, intents and contents are durable when this returns.
    pub fn new(batch: &'a JournalledBatch<'a>, operations: &[(About<'a>, &'a Operation)]) -> Self {
        let going = operations.iter().map(|(about, operation)| {
            let path = operation.path().expect("what goes with others is a matter of one path");
            batch.going(*about, operation, path)
        });
        let mut going: Vec<Going> = going.collect();
        batch.write_ahead(&mut going);
        Self { batch, going: going.into_iter() }
    }
}

impl Ahead for InOrder<'_> {
    fn perform(&mut self) -> Result<(), HostError> {
        let mut going = self.going.next().expect("no more is asked for than was written ahead");
        self.batch.finish(std::slice::from_mut(&mut going));
        going.end()
    }
}

impl Drop for InOrder<'_> {
    fn drop(&mut self) {
        let left = self.going.by_ref().filter_map(|going| going.not_begun());
        let records: Vec<Record> = left.map(|intent| Record::NotBegun { intent }).collect();
        if !records.is_empty() {
            // If this entry is lost, recovery has the same finding.
            let _ = self.batch.host.journal.append(&records);
        }
    }
}
