//! Counts the results of a deploy from its journal, for deploys without a recorded end.

use std::collections::{BTreeMap, BTreeSet};

use super::Deploy;
use crate::graph::ResourceId;
use crate::host::journal::{End, Ending, Outcome, Purpose};

impl End {
    /// Counts one finished step by its state.
    pub(super) fn count(&mut self, state: &str, is_change: bool) {
        *match state {
            "done" => &mut self.done,
            "failed" => &mut self.failed,
            "blocked" => &mut self.blocked,
            _ => &mut self.skipped,
        } += 1;
        self.changed += u64::from(state == "done" && is_change);
    }

    /// Returns the number of counted steps.
    pub fn turns(&self) -> u64 {
        self.done + self.failed + self.skipped + self.blocked
    }

    /// Whether this is an end without counts. Older versions wrote one for every stopped deploy.
    pub(super) fn is_mute(&self) -> bool {
        self.how == Ending::Stopped && self.turns() == 0 && self.total.is_none()
    }
}

/// Counts a deploy that has no end entry.
///
/// A resource counts once, by the result of its last step. If it changed something and did not finish, it counts as
/// changed. In an undo a resource counts once for each different result of its operations.
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
        // A resource that changed in one step and was unchanged in a later one counts as changed.
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
    /// Replaces an end without counts by the counts of the journal.
    pub(super) fn count_anew(&mut self) {
        if self.end.as_ref().is_some_and(End::is_mute) {
            let End { done, changed, failed, skipped, blocked, .. } = counts(self);
            if let Some(end) = &mut self.end {
                *end = End { done, changed, failed, skipped, blocked, ..end.clone() };
            }
        }
    }
}
