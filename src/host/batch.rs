//! Turns whose deeds are done together, so that they wait for the disk together.

use super::{About, Act, HostError, Operation};

/// Turns that are open at the same time.
pub trait Batch: Send + Sync {
    /// Opens the turn of a resource.
    fn turn_of(&self, about: About) -> Box<dyn Act + '_>;

    /// Whether more turns may be opened; there are only so many handles.
    fn has_room(&self) -> bool;

    /// Does one thing for each of several turns that meet nowhere. Gives how each ended.
    fn perform(&self, deeds: &[(About, &Operation)]) -> Vec<Result<(), HostError>>;

    /// Prepares deeds of which each follows the one before it; see [`Ahead`]. Each [goes with others](goes_with_others).
    fn ahead<'a>(&'a self, deeds: &[(About<'a>, &'a Operation)]) -> Box<dyn Ahead + 'a>;
}

/// Deeds in order. What changes nothing yet is written ahead for all of them, and became durable by one wait.
pub trait Ahead {
    /// Does the next deed. It is durable when this returns. Those that are left when this is dropped are not done.
    fn perform(&mut self) -> Result<(), HostError>;
}

/// Whether an operation is a matter of one path and takes a bounded time, so that it is done together with others.
pub fn goes_with_others(operation: &Operation) -> bool {
    !matches!(operation, Operation::System(_) | Operation::CopyFile { .. } | Operation::RemoveTree { .. })
}

/// Fewer than this are not worth a second thread.
const WORTH_IT: usize = 32;

/// So many may wait for the disk at once, each with a few handles.
const WAITING: usize = 64;

/// Does the same with each of many things, on all cores.
pub fn each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    // Asking how many cores there are reads files.
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    spread(items, if items.len() < WORTH_IT { 1 } else { cores() }, work);
}

/// The same where each waits for the disk for itself: many that wait at once wait hardly longer than one.
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
