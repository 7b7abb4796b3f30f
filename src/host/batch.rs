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
}

/// Fewer than this are not worth a second thread.
const WORTH_IT: usize = 32;

/// Does the same with each of many things, on all cores.
pub fn each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores == 1 || items.len() < WORTH_IT {
        return items.iter_mut().for_each(work);
    }
    std::thread::scope(|scope| {
        for part in items.chunks_mut(items.len().div_ceil(cores)) {
            scope.spawn(|| part.iter_mut().for_each(&work));
        }
    });
}
