//! A dry run as plain data: ordered steps with their changes, certainty and dependencies.

mod compiled_for;
mod saved;
mod seal;
mod json;
mod hash;
pub mod policy;
pub mod stop;
mod query;
mod tally;
pub mod unshown;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, Resource, ResourceId, Value};
use crate::source::Place;

pub use compiled_for::{CompiledFor, CompiledWith, Facts, Hidden, SetValues};
pub use query::{LEVELS, Offered, Query, RESOURCE_KEYS, STATES as QUERY_STATES, unknown_key};
pub use saved::{
    MadeFrom, Moved, SAVED_CAP, SavedModule, SavedPlan, SavedPlanError, SavedSource, SavedStep, Side,
    compare_on_the_way, compare_steps, hash_text, is_binding,
};
pub use seal::{SEAL_KEY, SealKey, is_broken};
pub use tally::{Alike, Listed, Tally};

/// The error of a resource without a kind in workbench.
pub const NO_IMPLEMENTATION: &str = "no implementation here";

/// The start of the note for a resource that may not change at this time.
pub const OUTSIDE_SCHEDULE: &str = "outside of its schedule";

/// The action of a resource's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Create,
    Change,
    Replace,
    Remove,
    Run,
    None,
    Unknown,
}

impl Action {
    /// The order of actions in a summary: destructive ones first, unknown ones last.
    const SUMMARY_ORDER: [Action; 6] =
        [Action::Remove, Action::Replace, Action::Change, Action::Create, Action::Run, Action::Unknown];

    /// Returns its word in plans.
    pub fn verb(self) -> &'static str {
        match self {
            Action::Create => "create",
            Action::Change => "change",
            Action::Replace => "replace",
            Action::Remove => "remove",
            Action::Run => "run",
            Action::None => "unchanged",
            Action::Unknown => "unknown",
        }
    }

    /// Returns the position of an action in a summary, from 0. `None` comes last.
    pub fn rank(self) -> usize {
        Self::SUMMARY_ORDER.iter().position(|other| *other == self).unwrap_or(Self::SUMMARY_ORDER.len())
    }
}

/// How certain a step's prediction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Observed on the machine, or an exact consequence of that and of earlier known steps.
    Known,
    /// Depends on an uncertain effect of an earlier step, such as the contents of a package.
    Predicted,
    /// Known after apply: the action, or a value such as a command's output.
    Unknown,
}

/// Whether a step can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reversible {
    Yes,
    Partly,
    No,
}

/// One difference between the present and the desired state. `None` means "no value", as opposed to null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub property: String,
    pub from: Option<Value>,
    pub to: Option<Value>,
    pub sensitive: bool,
}

/// One resource's turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// From 1, in the order of the plan.
    pub index: u32,
    pub resource: ResourceId,
    /// The host that the program was compiled for, if it is not this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Arc<str>>,
    pub action: Action,
    /// Its turn includes a refresh.
    pub refresh: bool,
    pub certainty: Certainty,
    pub changes: Vec<Change>,
    /// Its direct requirements.
    pub because: Vec<ResourceId>,
    pub notifies: Vec<ResourceId>,
    pub reversible: Reversible,
    pub source: Option<Place>,
    /// Why it cannot be predicted; empty if there is nothing to report.
    pub note: String,
    /// `noop` is set: the change is reported and not made.
    #[serde(rename = "only_told", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_noop: bool,
    /// The new state is known after apply, but the present state was observed reliably: an apply compares with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binds_what_is: bool,
    /// Shows later whether the overwritten contents have changed; see [`SealKey`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
    /// Why its turn failed, or would fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The failing dependency that blocks it. The note names it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<ResourceId>,
}

impl Step {
    /// Whether no turn is taken, because a dependency failed or would fail.
    pub fn is_blocked(&self) -> bool {
        self.blocked_by.is_some()
    }

    /// Whether all of its effects can be undone.
    pub fn can_be_undone(&self) -> bool {
        self.action == Action::None || self.is_noop || self.reversible == Reversible::Yes
    }

    /// Whether its turn is taken and, as far as known, succeeds.
    pub fn acts(&self) -> bool {
        self.error.is_none() && !self.is_blocked()
    }
}

/// A resource for another host of the program: it is neither checked nor applied here, and is not a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    pub host: Arc<str>,
    pub resource: ResourceId,
    pub source: Option<Place>,
}

impl Elsewhere {
    /// Returns the resources of a graph for other hosts, grouped by host.
    pub fn of(graph: &Graph) -> Vec<Self> {
        let is_elsewhere = |resource: &&Resource| resource.is_elsewhere;
        let resources = graph.resources().map(|(_, resource)| resource).filter(is_elsewhere);
        let mut all: Vec<Self> = resources
            .filter_map(|resource| {
                let host = resource.target.clone()?;
                Some(Self { host, resource: resource.id.clone(), source: resource.source.clone() })
            })
            .collect();
        all.sort_by(|one, other| one.host.cmp(&other.host));
        all
    }

    /// `for host web2, not applied here`
    pub fn words(host: &str) -> String {
        format!("for host {host}, not applied here")
    }
}

/// The number of steps by action. A step that would fail or be blocked does nothing, so it counts only as that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub create: u32,
    pub change: u32,
    pub replace: u32,
    pub remove: u32,
    pub run: u32,
    pub refresh: u32,
    pub none: u32,
    pub unknown: u32,
    #[serde(default)]
    pub fail: u32,
    #[serde(default)]
    pub blocked: u32,
}

/// The format that this version writes.
const VERSION: u32 = 1;

/// A finished dry run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub version: u32,
    /// The content hash of the entry and the steps.
    pub plan: String,
    pub entry: String,
    /// What it was compiled for.
    #[serde(rename = "for", default)]
    pub compiled_for: CompiledFor,
    pub steps: Vec<Step>,
    /// The resources for other hosts, grouped by host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Elsewhere>,
    pub summary: Summary,
    /// The files and folders outside of the entry that the program reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<PathBuf>,
    /// The policies that it breaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<policy::Violation>,
}

impl Plan {
    /// Makes a plan from steps.
    pub fn new(entry: &str, compiled_for: CompiledFor, steps: Vec<Step>) -> Self {
        let summary = Summary::of(&steps);
        let plan = hash::of(entry, &compiled_for, &steps);
        let (entry, elsewhere, reads, violations) = (entry.to_owned(), Vec::new(), Vec::new(), Vec::new());
        Plan { version: VERSION, plan, entry, compiled_for, steps, elsewhere, summary, reads, violations }
    }
}

impl Summary {
    /// Counts steps by action.
    pub fn of<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Self {
        let mut summary = Summary::default();
        for step in steps {
            *summary.count_of(step) += 1;
            summary.refresh += u32::from(step.refresh && step.acts());
        }
        summary
    }

    /// The same with each step counted once: an unchanged step that is refreshed counts as a refresh alone.
    pub fn once<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Self {
        let mut summary = Summary::default();
        for step in steps {
            match (step.action, step.refresh) {
                (Action::None, true) if step.acts() => summary.refresh += 1,
                _ => *summary.count_of(step) += 1,
            }
        }
        summary
    }

    /// `create 8, run 2. Also refresh 1, unchanged 2`
    pub fn in_words(&self) -> String {
        let words = |all: &[(&str, u32)]| {
            let some = all.iter().filter(|(_, count)| *count > 0);
            some.map(|(what, count)| format!("{what} {count}")).collect::<Vec<_>>().join(", ")
        };
        let changes = words(&[
            ("create", self.create),
            ("change", self.change),
            ("replace", self.replace),
            ("remove", self.remove),
            ("run", self.run),
            ("unknown", self.unknown),
        ]);
        let others = words(&[
            ("refresh", self.refresh),
            ("unchanged", self.none),
            ("would fail", self.fail),
            ("would be blocked", self.blocked),
        ]);
        match (changes.is_empty(), others.is_empty()) {
            (true, true) => "nothing".into(),
            (false, true) => changes,
            (true, false) => others,
            (false, false) => format!("{changes}. Also {others}"),
        }
    }

    /// Counts one more step.
    pub fn add(&mut self, action: Action, refresh: bool) {
        *self.count(action) += 1;
        self.refresh += u32::from(refresh);
    }

    /// Returns the only count that a step is part of, beside that of refreshes.
    fn count_of(&mut self, step: &Step) -> &mut u32 {
        match step {
            step if step.error.is_some() => &mut self.fail,
            step if step.is_blocked() => &mut self.blocked,
            step => self.count(step.action),
        }
    }

    fn count(&mut self, action: Action) -> &mut u32 {
        match action {
            Action::Create => &mut self.create,
            Action::Change => &mut self.change,
            Action::Replace => &mut self.replace,
            Action::Remove => &mut self.remove,
            Action::Run => &mut self.run,
            Action::None => &mut self.none,
            Action::Unknown => &mut self.unknown,
        }
    }
}
