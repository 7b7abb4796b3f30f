//! Limits concurrent turns: none begins after the first place where the run may stop, in the order of a dry run.
//!
//! A user expects the first breakpoint of the displayed order to be the first stop, with nothing after it begun.
//! Therefore no turn after that place begins until all turns before it are finished. Turns between two such places run
//! concurrently.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::NodeIndex;

use super::footprints::order;
use super::state::States;

/// The places where a run may stop, and the position of each turn in the order.
pub(super) struct Gate {
    place: FxHashMap<NodeIndex, usize>,
    /// In reverse order.
    stops: Vec<NodeIndex>,
}

impl Gate {
    /// The first turn is excluded, so that the run can continue from a breakpoint.
    pub fn new(
        states: &States,
        picked: Option<NodeIndex>,
        first: Option<NodeIndex>,
        at: &FxHashSet<NodeIndex>,
    ) -> Self {
        let order = order(states, picked);
        let mut stops: Vec<NodeIndex> =
            order.iter().copied().filter(|node| at.contains(node) && Some(*node) != first).collect();
        stops.reverse();
        Self { place: order.into_iter().zip(0..).collect(), stops }
    }

    /// Returns the next place to stop. Blocked resources no longer count.
    pub fn stop(&mut self, states: &States) -> Option<NodeIndex> {
        while self.stops.pop_if(|stop| !states.is_open(*stop)).is_some() {}
        self.stops.last().copied()
    }

    /// Whether a turn comes before the next place to stop.
    pub fn lets(&mut self, states: &States, at: NodeIndex) -> bool {
        let Some(stop) = self.stop(states) else { return true };
        let place = |node: &NodeIndex| self.place.get(node).copied().unwrap_or(usize::MAX);
        place(&at) < place(&stop)
    }
}
