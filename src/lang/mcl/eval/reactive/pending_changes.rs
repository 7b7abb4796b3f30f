//! Changes of events with errors: they left the graph as it was, so they belong to the next event without errors.
//!
//! `file "$name" { content => $text, }` in a loop over `$names`: an event breaks `$text`, the next adds a name, the
//! third repairs `$text`. The new file is caused by `$names`, although the third event did not change that.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::Change;
use super::assemble::Touched;
use super::tracker::Cause;
use super::unit::{UnitId, Units};
use crate::graph::{Graph, ResourceId};
use crate::world::Read;

/// The changes since the last event without errors.
#[derive(Default)]
pub struct PendingChanges {
    changes: BTreeMap<Read, Change>,
    units: FxHashMap<UnitId, Account>,
    /// The causes for resources whose units were removed.
    gone: FxHashMap<ResourceId, BTreeSet<Cause>>,
}

/// The pending changes of a unit: a failed one declares nothing, but its resources are still in the graph.
#[derive(Default)]
struct Account {
    causes: BTreeSet<Cause>,
    /// The resources of the unit in the graph.
    resources: BTreeSet<ResourceId>,
}

impl PendingChanges {
    /// Records an event that left the graph as it was.
    pub fn add(&mut self, changes: &[Change], touched: &[Touched], units: &Units, graph: &Graph) {
        for change in changes {
            match self.changes.get_mut(&change.input) {
                Some(before) => before.to.clone_from(&change.to),
                None => _ = self.changes.insert(change.input.clone(), change.clone()),
            }
        }
        for Touched { unit, before, cause } in touched {
            let Some(cause) = *cause else { continue };
            let resources = before.resources.iter().map(|decl| decl.id()).filter(|id| graph.find(id).is_some());
            match unit.filter(|unit| units.get(*unit).is_some()) {
                Some(unit) => {
                    let account = self.units.entry(unit).or_default();
                    account.causes.insert(cause);
                    account.resources.extend(resources);
                }
                None => resources.for_each(|id| _ = self.gone.entry(id).or_default().insert(cause)),
            }
        }
    }

    /// A unit was removed; its number may be reused.
    pub fn close(&mut self, unit: UnitId, cause: Option<Cause>) {
        let Some(Account { mut causes, resources }) = self.units.remove(&unit) else { return };
        causes.extend(cause);
        for id in resources {
            self.gone.entry(id).or_default().extend(&causes);
        }
    }

    /// All units are renumbered.
    pub fn close_all(&mut self) {
        let units: Vec<_> = self.units.keys().copied().collect();
        units.into_iter().for_each(|unit| self.close(unit, None));
    }

    /// The earlier causes for each resource since the graph before this event, which has no errors.
    pub fn causes(&mut self, units: &Units) -> FxHashMap<ResourceId, BTreeSet<Cause>> {
        let mut all = std::mem::take(&mut self.gone);
        for (unit, Account { causes, resources }) in std::mem::take(&mut self.units) {
            let declared = units.get(unit).into_iter().flat_map(|unit| &unit.declared.resources);
            for id in resources.into_iter().chain(declared.map(|decl| decl.id())) {
                all.entry(id).or_default().extend(&causes);
            }
        }
        all
    }

    /// The inputs that differ from that graph, without those that this event changed.
    pub fn changes(&mut self, now: &[Change]) -> Vec<Change> {
        let mut earlier = std::mem::take(&mut self.changes);
        now.iter().for_each(|change| _ = earlier.remove(&change.input));
        earlier.into_values().filter(|change| change.from != change.to).collect()
    }
}
