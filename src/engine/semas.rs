//! The semaphores of turns: their holders and their waiting turns.

use std::collections::{BTreeMap, VecDeque};

use crate::graph::{Graph, NodeIndex};

use super::meta;

/// One semaphore. A turn waits for one at a time, so a list of waiting turns is enough.
#[derive(Default)]
struct Semaphore {
    held: u32,
    waiting: VecDeque<NodeIndex>,
}

/// All semaphores of a run. A turn takes all of its semaphores together or none, so there is no deadlock.
#[derive(Default)]
pub(super) struct Semaphores(BTreeMap<String, Semaphore>);

impl Semaphores {
    /// Takes all semaphores of a node. If one is full, the node waits until [`Semaphores::release`] returns it. Then
    /// returns the turns that it had kept from trying and that may try now.
    pub fn take(&mut self, graph: &Graph, at: NodeIndex) -> Result<(), Vec<NodeIndex>> {
        let Some(resource) = graph.resource(at) else { return Ok(()) };
        let wanted = meta::semaphores(resource);
        let is_full = |there: &Self, name: &str, size| there.0.get(name).is_some_and(|sema| sema.held >= size);
        if let Some(full) = wanted.iter().position(|(name, size)| is_full(self, name, *size)) {
            self.0.entry(wanted[full].0.to_owned()).or_default().waiting.push_back(at);
            // The other semaphores have room, and this node may have been woken for it.
            let with_room = wanted[..full].iter();
            return Err(with_room.filter_map(|(name, _)| self.0.get_mut(*name)?.waiting.pop_front()).collect());
        }
        for (name, _) in wanted {
            self.0.entry(name.to_owned()).or_default().held += 1;
        }
        Ok(())
    }

    /// Releases a node's semaphores. Returns the turns that waited for them and may try now.
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

    /// Returns all turns that still wait, and releases them.
    pub fn drain(&mut self) -> impl Iterator<Item = NodeIndex> {
        self.0.values_mut().flat_map(|semaphore| semaphore.waiting.drain(..))
    }
}
