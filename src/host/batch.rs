//! Turns whose operations are performed together and share one wait for the disk.

use super::{About, Act, HostError, Operation};

/// Turns that are open at the same time.
pub trait Batch: Send + Sync {
    /// Opens the turn of a resource.
    fn turn_of(&self, about: About) -> Box<dyn Act + '_>;

    /// Whether more turns may be opened. The number of file handles is limited.
    fn has_room(&self) -> bool;

    /// Performs one operation for each of several turns on unrelated paths. Returns each result.
    fn perform(&self, deeds: &[(About, &Operation)]) -> Vec<Result<(), HostError>>;

    /// Prepares operations that must happen in order; see [`Ahead`]. Each must satisfy [`goes_with_others`].
    fn ahead<'a>(&'a self, deeds: &[(About<'a>, &'a Operation)]) -> Box<dyn Ahead + 'a>;
}

/// Operations in order. Preparations that change no path are written for all of them first, and one wait makes them
/// durable.
pub trait Ahead {
    /// Performs the next operation. It is durable when this returns. Dropping the value cancels the remaining ones.
    fn perform(&mut self) -> Result<(), HostError>;
}

/// Whether an operation concerns one path and takes a bounded time, so that it may be performed together with others.
pub fn goes_with_others(operation: &Operation) -> bool {
    !matches!(operation, Operation::System(_) | Operation::CopyFile { .. } | Operation::RemoveTree { .. })
}

/// Fewer items are not worth a second thread.
const WORTH_IT: usize = 32;

/// The number of threads that may wait for the disk at once, each with a few handles.
const WAITING: usize = 64;

/// Calls `work` for each item, on all cores.
pub fn each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    // Counting the cores reads files.
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    spread(items, if items.len() < WORTH_IT { 1 } else { cores() }, work);
}

/// The same for work that waits for the disk. Concurrent waits take hardly longer than one.
pub fn each_waiting<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    spread(items, WAITING.min(items.len()), work);
}

fn spread<T: Send>(items: &mut [T], threads: usize, work: impl Fn(&mut T) + Sync) {
    if threads <= 1 {
        return items.iter_mut().for_each(work);
    }
    let (mine, others) = items.split_at_mut(items.len().div_ceil(threads));
    std::thread::scope(|scope| {
        for part in others.chunks_mut(mine.len()) {
            scope.spawn(|| part.iter_mut().for_each(&work));
        }
        mine.iter_mut().for_each(&work);
    });
}
