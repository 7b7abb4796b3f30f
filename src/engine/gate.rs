//! How far turns may begin side by side: up to the first place where the run may stop, in the order of a dry run.
//!
//! Whoever looks at the order that was shown expects the first breakpoint in it to be the first stop, with nothing behind it
//! begun. So nothing begins from that place on until all before it is over; what lies between two such places goes side by
//! side as ever.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::NodeIndex;

use super::footprints::order;
use super::state::States;

/// The places where a run may stop, and where each turn stands in the order.
pub(super) struct Gate {
    place: FxHashMap<NodeIndex, usize>,
    /// Later ones first.
    stops: Vec<NodeIndex>,
}

impl Gate {
    /// The first turn is taken wherever it is: one gets past the place where one stands.
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

    /// The next place to stop at; what was blocked meanwhile is none any more.
    pub fn stop(&mut self, states: &States) -> Option<NodeIndex> {
        while self.stops.pop_if(|stop| !states.is_open(*stop)).is_some() {}
        self.stops.last().copied()
    }

    /// Whether a turn comes before the next place to stop at.
    pub fn lets(&mut self, states: &States, at: NodeIndex) -> bool {
        let Some(stop) = self.stop(states) else { return true };
        let place = |node: &NodeIndex| self.place.get(node).copied().unwrap_or(usize::MAX);
        place(&at) < place(&stop)
    }
}
