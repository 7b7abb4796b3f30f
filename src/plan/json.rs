//! Writes the JSON of `preview --format json` step by step, so that a large plan is not held in memory twice.

use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::Value as Json;

use super::policy::Violation;
use super::{Action, Certainty, Change, CompiledFor, Elsewhere, Plan, Reversible, Step, Summary};
use crate::graph::{ResourceId, Value};
use crate::source::Place;

impl Plan {
    /// Writes the plan with some of its steps. Hash and sums are those of the whole plan.
    pub fn write_json(&self, steps: &[&Step], out: &mut dyn Write) -> io::Result<()> {
        let Plan { version, plan, entry, compiled_for, summary, steps: all, elsewhere, reads, violations } = self;
        // A query selects among the steps.
        let elsewhere: &[Elsewhere] = if steps.len() == all.len() { elsewhere } else { &[] };
        let steps = Steps(steps, elsewhere);
        let shown = Shown { version: *version, plan, entry, compiled_for, steps, reads, violations, summary };
        Ok(serde_json::to_writer(out, &shown)?)
    }
}

impl Change {
    /// The same for one change.
    pub fn to_json(&self) -> Json {
        serde_json::to_value(ShownChange::new(self)).expect("it is plain data with names for keys")
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    version: u32,
    plan: &'a str,
    entry: &'a str,
    #[serde(rename = "for")]
    compiled_for: &'a CompiledFor,
    steps: Steps<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reads: &'a [PathBuf],
    #[serde(rename = "policies", skip_serializing_if = "<[_]>::is_empty")]
    violations: &'a [Violation],
    summary: &'a Summary,
}

/// The steps, then the resources for other hosts.
struct Steps<'a>(&'a [&'a Step], &'a [Elsewhere]);

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len() + self.1.len()))?;
        for step in self.0 {
            list.serialize_element(&ShownStep::new(step))?;
        }
        for (elsewhere, index) in self.1.iter().zip(self.0.len() as u32 + 1..) {
            let note = Elsewhere::words(&elsewhere.host);
            list.serialize_element(&ShownStep::elsewhere(elsewhere, index, &note))?;
        }
        list.end()
    }
}

#[derive(Serialize)]
struct ShownStep<'a> {
    index: u32,
    resource: &'a ResourceId,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    action: Action,
    refresh: bool,
    certainty: Certainty,
    changes: Vec<ShownChange<'a>>,
    because: &'a [ResourceId],
    notifies: &'a [ResourceId],
    reversible: Reversible,
    source: Option<ShownPlace<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    #[serde(rename = "noop", skip_serializing_if = "std::ops::Not::not")]
    is_noop: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> ShownStep<'a> {
    fn new(step: &'a Step) -> Self {
        Self {
            index: step.index,
            resource: &step.resource,
            target: step.target.as_deref(),
            action: step.action,
            refresh: step.refresh,
            certainty: step.certainty,
            changes: step.changes.iter().map(ShownChange::new).collect(),
            because: &step.because,
            notifies: &step.notifies,
            reversible: step.reversible,
            source: step.source.as_ref().map(ShownPlace::new),
            note: &step.note,
            is_noop: step.is_noop,
            error: step.error.as_deref(),
        }
    }

    fn elsewhere(elsewhere: &'a Elsewhere, index: u32, note: &'a str) -> Self {
        Self {
            index,
            resource: &elsewhere.resource,
            target: Some(&elsewhere.host),
            action: Action::None,
            refresh: false,
            certainty: Certainty::Unknown,
            changes: Vec::new(),
            because: &[],
            notifies: &[],
            reversible: Reversible::Yes,
            source: elsewhere.source.as_ref().map(ShownPlace::new),
            note,
            is_noop: false,
            error: None,
        }
    }
}

#[derive(Serialize)]
struct ShownPlace<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

impl<'a> ShownPlace<'a> {
    fn new(Place { file, line, column, .. }: &'a Place) -> Self {
        Self { file, line: *line, column: *column }
    }
}

#[derive(Serialize)]
struct ShownChange<'a> {
    property: &'a str,
    from: Json,
    to: Json,
    sensitive: bool,
    /// False means that `to` has no value, as opposed to null.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<bool>,
}

impl<'a> ShownChange<'a> {
    fn new(change: &'a Change) -> Self {
        let side = |value: &Option<Value>| match value {
            Some(_) if change.sensitive => serde_json::json!({"$sensitive": true}),
            Some(value) => value.to_json(),
            None => Json::Null,
        };
        Self {
            property: &change.property,
            from: side(&change.from),
            to: side(&change.to),
            sensitive: change.sensitive,
            set: change.to.is_none().then_some(false),
        }
    }
}
