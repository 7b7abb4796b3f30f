//! Semaphores that turns hold: who holds which, and who waits for one.

use std::collections::{BTreeMap, VecDeque};

use crate::graph::{Graph, NodeIndex};

use super::meta;

/// One semaphore. A turn waits for one at a time, so a list of those that wait is enough.
#[derive(Default)]
struct Semaphore {
    held: u32,
    waiting: VecDeque<NodeIndex>,
}

/// All semaphores of a run. All that a turn needs are taken together or not at all, so nothing can lock up.
#[derive(Default)]
pub(super) struct Semaphores(BTreeMap<String, Semaphore>);

impl Semaphores {
    /// Takes all that a node needs. Otherwise it waits, and [`Semaphores::release`] gives it back; those that it had kept
    /// from trying may try now.
    pub fn take(&mut self, graph: &Graph, at: NodeIndex) -> Result<(), Vec<NodeIndex>> {
        let Some(resource) = graph.resource(at) else { return Ok(()) };
        let wanted = meta::semaphores(resource);
        let is_full = |there: &Self, name: &str, size| there.0.get(name).is_some_and(|sema| sema.held >= size);
        if let Some(full) = wanted.iter().position(|(name, size)| is_full(self, name, *size)) {
            self.0.entry(wanted[full].0.to_owned()).or_default().waiting.push_back(at);
            // The others have room, and this node may have been the one that was woken for it.
            let with_room = wanted[..full].iter();
            return Err(with_room.filter_map(|(name, _)| self.0.get_mut(*name)?.waiting.pop_front()).collect());
        }
        for (name, _) in wanted {
            self.0.entry(name.to_owned()).or_default().held += 1;
        }
        Ok(())
    }

    /// Gives back what a node held. Returns those that waited for it and may try to take theirs again.
    pub fn release(&mut self, graph: &Graph, at: NodeIndex) -> Vec<NodeIndex> {
        let Some(resource) = graph.resource(at) else { return Vec::new() };
        let mut free = Vec::new();
        for (name, _) in meta::semaphores(resource) {
            let there = self.0.entry(name.to_owned()).or_default();
            there.held -= 1;
            free.extend(there.waiting.pop_front());
        }
        free
    }

    /// All that still wait, and do not any more.
    pub fn drain(&mut self) -> impl Iterator<Item = NodeIndex> {
        self.0.values_mut().flat_map(|semaphore| semaphore.waiting.drain(..))
    }
}
