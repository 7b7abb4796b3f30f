//! Deeds one after the other: what may be written ahead becomes durable by one wait for all, each name by a wait of its own.
//!
//! No deed begins before the one before it is durable, so a crash leaves the first ones done and no later one. What was
//! written ahead of the others is an intent that is found not done, and a file beside its place that recovery removes.

use super::{Going, JournalledBatch};
use crate::host::journal::record::Record;
use crate::host::{About, Ahead, HostError, Operation};

pub(super) struct InOrder<'a> {
    batch: &'a JournalledBatch<'a>,
    going: std::vec::IntoIter<Going<'a>>,
}

impl<'a> InOrder<'a> {
    pub fn new(batch: &'a JournalledBatch<'a>, deeds: &[(About<'a>, &'a Operation)]) -> Self {
        let going = deeds.iter().map(|(about, operation)| {
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
            // Where this is lost, recovery finds the same.
            let _ = self.batch.host.journal.append(&records);
        }
    }
}
