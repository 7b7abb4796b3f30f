//! What a deploy came to, counted from what its journal says: where nobody came to write its end down.

use std::collections::{BTreeMap, BTreeSet};

use super::Deploy;
use crate::graph::ResourceId;
use crate::host::journal::{End, Ending, Outcome, Purpose};

impl End {
    /// Counts a turn that ended, by its state.
    pub(super) fn count(&mut self, state: &str, is_change: bool) {
        *match state {
            "done" => &mut self.done,
            "failed" => &mut self.failed,
            "blocked" => &mut self.blocked,
            _ => &mut self.skipped,
        } += 1;
        self.changed += u64::from(state == "done" && is_change);
    }

    /// How many turns it tells of.
    pub fn turns(&self) -> u64 {
        self.done + self.failed + self.skipped + self.blocked
    }

    /// Whether it was stopped and tells of nothing, as versions wrote it, whatever had been done, that did not say of how many.
    pub(super) fn is_mute(&self) -> bool {
        self.how == Ending::Stopped && self.turns() == 0 && self.total.is_none()
    }
}

/// The counts of a deploy, of whose end nothing else is told. A resource counts once, as its last turn ended, and one that changed
/// something without coming to the end of its turn as changed; of an undo it counts at each end that its deeds came to.
pub(super) fn counts(deploy: &Deploy) -> End {
    let mut end = End::default();
    if matches!(deploy.begin.purpose, Purpose::Undo { .. }) {
        let mut seen = BTreeSet::new();
        for outcome in &deploy.outcomes {
            if seen.insert((&outcome.resource, &outcome.state)) {
                end.count(&outcome.state, is_change(outcome));
            }
        }
        return end;
    }
    let mut last: BTreeMap<&ResourceId, &Outcome> = BTreeMap::new();
    let mut tries: BTreeSet<&ResourceId> = BTreeSet::new();
    for outcome in &deploy.outcomes {
        // What was changed in one turn and found right in another was changed.
        if outcome.state == "done" && is_change(outcome) {
            tries.insert(&outcome.resource);
        }
        last.insert(&outcome.resource, outcome);
    }
    for (resource, outcome) in &last {
        end.count(&outcome.state, tries.contains(resource));
    }
    let deeds = deploy.steps.iter().filter(|step| step.was_done()).map(|step| &step.intent.resource);
    end.changed += deeds.filter(|id| !last.contains_key(id)).collect::<BTreeSet<_>>().len() as u64;
    end
}

fn is_change(outcome: &Outcome) -> bool {
    !matches!(&*outcome.action, "" | "none")
}

impl Deploy {
    /// Tells the end from what was done, where the end itself is mute.
    pub(super) fn count_anew(&mut self) {
        if self.end.as_ref().is_some_and(End::is_mute) {
            let End { done, changed, failed, skipped, blocked, .. } = counts(self);
            if let Some(end) = &mut self.end {
                *end = End { done, changed, failed, skipped, blocked, ..end.clone() };
            }
        }
    }
}
