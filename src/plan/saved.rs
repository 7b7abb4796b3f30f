//! A saved plan: the observed and approved steps, so that an apply can decide whether it still holds.
//!
//! It contains no code: an apply compiles and previews the entry again and compares. Only properties of resources are
//! compared. Secret values are not in the plan, neither as text nor as a hash, so a changed secret is not detected. The
//! contents that a step would overwrite are sealed with a key that is not in the plan. For private contents the plan
//! holds only the size and the seal, so a change of them is still detected.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::unshown::private_size;
use super::{Action, Certainty, Change, CompiledFor, Plan, SetValues, Step, is_broken};
use crate::graph::{Graph, Params, Resource, ResourceId, Value};
use crate::source::hex;

/// The format name at the start of every saved plan.
const FORMAT: &str = "workbench-plan";

/// The format that this version writes.
const VERSION: u32 = 2;

/// Plans of this format have no [`CompiledFor`].
const OLDEST: u32 = 1;

/// More steps than any graph that can be compiled.
const MOST_STEPS: usize = 1_000_000;

/// Larger files are not plans.
pub const SAVED_CAP: u64 = 256 << 20;

/// A saved plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPlan {
    pub format: String,
    pub version: u32,
    /// The hash of the fields below.
    pub plan: String,
    /// As the user typed it.
    pub entry: String,
    /// The path of the entry; `None` for code.
    pub path: Option<String>,
    /// Whether guards were run.
    pub run_guards: bool,
    /// What it was compiled for; `None` in plans of earlier versions.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub compiled_for: Option<CompiledFor>,
    /// Not shown, and not in the hash.
    #[serde(default, skip_serializing_if = "SetValues::is_empty")]
    pub set_values: SetValues,
    pub sources: Vec<SavedSource>,
    pub modules: Vec<SavedModule>,
    /// The files and folders outside of the entry that the program read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<PathBuf>,
    pub steps: Vec<SavedStep>,
}

/// The inputs of a plan other than the graph.
#[derive(Clone, Debug, Default)]
pub struct MadeFrom {
    pub path: Option<String>,
    pub run_guards: bool,
    pub sources: Vec<SavedSource>,
    pub modules: Vec<SavedModule>,
}

/// A compiled file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSource {
    pub file: String,
    pub hash: String,
}

/// A compiled module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedModule {
    pub name: String,
    pub commit: Option<String>,
}

/// A step with the declaration of its resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedStep {
    pub step: Step,
    /// The hash of the resource as declared, without secrets.
    pub declared: String,
}

/// Why a text is not a valid plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedPlanError {
    #[error("not a saved plan: {0}")]
    Unreadable(String),
    #[error("saved by another version (format {0})")]
    Version(u32),
    #[error("changed after it was saved (the hash differs)")]
    Hash,
    #[error("more than {MOST_STEPS} steps")]
    TooLarge,
}

/// One reason why a saved plan no longer holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Moved {
    /// It was compiled for something else, in words.
    CompiledFor {
        words: String,
    },
    Source {
        file: String,
    },
    Module {
        name: String,
        from: Option<String>,
        to: Option<String>,
    },
    Gone {
        resource: ResourceId,
    },
    New {
        resource: ResourceId,
    },
    Declared {
        resource: ResourceId,
    },
    Action {
        resource: ResourceId,
        expected: Action,
        found: Action,
    },
    Property {
        resource: ResourceId,
        property: String,
        expected: Side,
        found: Side,
    },
    /// It would fail now, with the reason.
    Fails {
        resource: ResourceId,
        why: String,
    },
    /// A failing dependency would block it now.
    Blocked {
        resource: ResourceId,
        by: ResourceId,
    },
    /// It was to fail or to be blocked, with the reason, and would be applied now.
    Works {
        resource: ResourceId,
        why: String,
    },
    /// The contents that it would overwrite, which may not be shown, have changed.
    Sealed {
        resource: ResourceId,
    },
}

/// The state of a property in a plan and now. A desired value is never reported as an observed one.
#[derive(Clone, Debug, PartialEq)]
pub enum Side {
    /// The observed value; `None` if it had none.
    Read(Option<Value>),
    /// The desired value, where the observed values are equal.
    Wanted(Option<Value>),
    /// It needs no change.
    Right,
    /// It was not known before an apply.
    NotRead,
}

impl SavedPlan {
    /// Makes a saved plan. Values of secrets are left out of its steps.
    pub fn new(plan: &Plan, graph: &Graph, made_from: MadeFrom) -> Self {
        let MadeFrom { path, run_guards, sources, modules } = made_from;
        let steps =
            plan.steps.iter().map(|step| SavedStep { step: without_secrets(step), declared: declared(graph, step) });
        let mut frozen = Self {
            format: FORMAT.into(),
            version: VERSION,
            plan: String::new(),
            entry: plan.entry.clone(),
            path,
            run_guards,
            compiled_for: Some(plan.compiled_for.clone()),
            set_values: SetValues::of(&plan.compiled_for),
            sources,
            modules,
            reads: plan.reads.clone(),
            steps: steps.collect(),
        };
        frozen.plan = frozen.content_hash();
        frozen
    }

    /// Returns the plan as one line of JSON. It contains the values of `--set`.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("it is plain data with names for keys");
        text.push('\n');
        text
    }

    /// Parses a plan from an untrusted source.
    pub fn parse(text: &[u8]) -> Result<Self, SavedPlanError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let unreadable = |error: serde_json::Error| SavedPlanError::Unreadable(error.to_string());
        let head: Head = serde_json::from_slice(text).map_err(unreadable)?;
        match (&*head.format, head.version) {
            (FORMAT, OLDEST..=VERSION) => {}
            (FORMAT, version) => return Err(SavedPlanError::Version(version)),
            _ => return Err(SavedPlanError::Unreadable("a different file format".into())),
        }
        let frozen: SavedPlan = serde_json::from_slice(text).map_err(unreadable)?;
        if frozen.steps.len() > MOST_STEPS {
            return Err(SavedPlanError::TooLarge);
        }
        if frozen.plan != frozen.content_hash() {
            return Err(SavedPlanError::Hash);
        }
        let compiled_for = frozen.compiled_for.map(|then| frozen.set_values.put_into(then));
        Ok(SavedPlan { compiled_for, ..frozen })
    }

    fn content_hash(&self) -> String {
        hash(&SavedPlan { plan: String::new(), set_values: SetValues::default(), ..self.clone() })
    }

    /// Returns the approved step of each resource.
    pub fn expected(&self) -> BTreeMap<ResourceId, Step> {
        self.steps.iter().map(|frozen| (frozen.step.resource.clone(), frozen.step.clone())).collect()
    }

    /// Returns the differences to a new plan. Changed sources come first, because they are the cause.
    pub fn moved(&self, now: &SavedPlan) -> Vec<Moved> {
        let then: BTreeMap<_, _> = self.steps.iter().map(|frozen| (&frozen.step.resource, frozen)).collect();
        let mut moved = Vec::new();
        for found in &now.steps {
            match then.get(&found.step.resource) {
                None => moved.push(Moved::New { resource: found.step.resource.clone() }),
                Some(expected) => compare(expected, found, &mut moved),
            }
        }
        let there: BTreeMap<_, _> = now.steps.iter().map(|frozen| (&frozen.step.resource, ())).collect();
        let gone = self.steps.iter().map(|frozen| &frozen.step.resource).filter(|id| !there.contains_key(id));
        moved.extend(gone.map(|id| Moved::Gone { resource: id.clone() }));
        if moved.is_empty() {
            return moved;
        }
        let mut causes = self.moved_sources(now);
        causes.append(&mut moved);
        causes
    }

    fn moved_sources(&self, now: &SavedPlan) -> Vec<Moved> {
        let mut moved = Vec::new();
        if let (Some(then), Some(now)) = (&self.compiled_for, &now.compiled_for) {
            let differences = then.differences("the plan", now).into_iter();
            moved.extend(differences.map(|words| Moved::CompiledFor { words }));
        }
        let hashes: BTreeMap<_, _> = now.sources.iter().map(|source| (&source.file, &source.hash)).collect();
        // The facts file is named above.
        let facts = self.compiled_for.as_ref().and_then(|then| then.facts.file());
        for source in self.sources.iter().filter(|source| Some(&*source.file) != facts) {
            if hashes.get(&source.file) != Some(&&source.hash) {
                moved.push(Moved::Source { file: source.file.clone() });
            }
        }
        let commits: BTreeMap<_, _> = now.modules.iter().map(|module| (&module.name, &module.commit)).collect();
        for module in &self.modules {
            let to = commits.get(&module.name).copied().cloned().flatten();
            if module.commit != to {
                moved.push(Moved::Module { name: module.name.clone(), from: module.commit.clone(), to });
            }
        }
        moved
    }
}

fn compare(expected: &SavedStep, found: &SavedStep, moved: &mut Vec<Moved>) {
    let before = moved.len();
    compare_steps(&expected.step, &found.step, moved);
    let same = expected.declared == found.declared && expected.step.error == found.step.error;
    if !same && moved.len() == before {
        moved.push(Moved::Declared { resource: found.step.resource.clone() });
    }
}

/// Compares a step with the approved one: the present state, the desired state, and private contents.
pub fn compare_steps(expected: &Step, found: &Step, moved: &mut Vec<Moved>) {
    let resource = || found.resource.clone();
    let before = moved.len();
    // A step that fails or is blocked has no changes: nothing is known of its properties.
    match (trouble(expected), trouble(found)) {
        (None, None) => {}
        (then, now) if then == now => return,
        (_, Some(_)) if let Some(why) = &found.error => {
            return moved.push(Moved::Fails { resource: resource(), why: why.clone() });
        }
        (_, Some(_)) if let Some(by) = &found.blocked_by => {
            return moved.push(Moved::Blocked { resource: resource(), by: by.clone() });
        }
        (then, _) => return moved.push(Moved::Works { resource: resource(), why: then.unwrap_or_default() }),
    }
    let before_changes = moved.len();
    compare_changes(expected, &found.changes, moved);
    for property in &mut moved[before_changes..] {
        if let Moved::Property { expected: then, found: now, .. } = property {
            // Of an unknown step, a property that it does not list is not known either.
            let is_open = |step: &Step, side: &Side| step.action == Action::Unknown && *side == Side::Right;
            if is_open(expected, then) {
                *then = Side::NotRead;
            }
            if is_open(found, now) {
                *now = Side::NotRead;
            }
        }
    }
    drop_uncertain(moved, before_changes);
    if expected.action != found.action && moved.len() == before {
        moved.push(Moved::Action { resource: resource(), expected: expected.action, found: found.action });
    }
    if moved.len() == before && is_broken(expected.seal.as_deref(), found.seal.as_deref()) {
        moved.push(Moved::Sealed { resource: resource() });
    }
}

/// Returns why a step would not be applied.
fn trouble(step: &Step) -> Option<String> {
    step.error.clone().or_else(|| step.blocked_by.as_ref().map(|by| format!("blocked by {by}")))
}

/// Drops a property whose content is shown on one side only, and has the same size there, if another property differs:
/// a file that became private, or public, did not change by that.
fn drop_uncertain(moved: &mut Vec<Moved>, from: usize) {
    let text = |side: &Side| if let Side::Read(Some(Value::Str(text))) = side { Some(text.clone()) } else { None };
    let is_uncertain = |moved: &Moved| {
        let Moved::Property { expected, found, .. } = moved else { return false };
        let (Some(then), Some(now)) = (text(expected), text(found)) else { return false };
        let same = |private: &str, shown: &str| private_size(private) == Some(shown.len() as u64);
        private_size(&then).is_some() != private_size(&now).is_some() && (same(&then, &now) || same(&now, &then))
    };
    if moved[from..].iter().any(|moved| !is_uncertain(moved)) {
        let mut at = 0;
        moved.retain(|moved| {
            at += 1;
            at <= from || !is_uncertain(moved)
        });
    }
}

/// Compares the changes found during an apply with the approved step. A value that is known after apply may have any
/// result. The present state must be as approved.
pub fn compare_on_the_way(expected: &Step, found: &[Change], moved: &mut Vec<Moved>) {
    let is_open = |change: &Change| change.to.as_ref().is_some_and(Value::holds_unknown);
    let found = found.iter().map(|change| {
        let mut open = expected.changes.iter().filter(|then| is_open(then));
        let to = open.find(|then| then.property == change.property).map_or(&change.to, |then| &then.to);
        Change { to: to.clone(), ..change.clone() }
    });
    let found: Vec<Change> = found.collect();
    let is_known_now = |change: &Change| is_open(change) && found.iter().all(|now| now.property != change.property);
    let changes = expected.changes.iter().filter(|change| !is_known_now(change)).cloned().collect();
    compare_changes(&Step { changes, ..expected.clone() }, &found, moved);
}

/// Compares the changes that a check found with the approved ones: the present and the desired values.
fn compare_changes(expected: &Step, found: &[Change], moved: &mut Vec<Moved>) {
    let of = |changes: &[Change], property: &str| changes.iter().find(|change| change.property == property).cloned();
    let properties = expected.changes.iter().chain(found).map(|change| &change.property);
    let mut seen: Vec<&String> = Vec::new();
    for property in properties {
        if seen.contains(&property) {
            continue;
        }
        seen.push(property);
        let (then, now) = (of(&expected.changes, property), of(found, property));
        let then = then.map(|change| change_without_secrets(&change));
        let now = now.map(|change| change_without_secrets(&change));
        if then == now {
            continue;
        }
        // If the present values are equal, the desired ones differ.
        let from = |change: &Option<Change>| change.as_ref().and_then(|change| change.from.clone());
        let to = |change: &Option<Change>| change.as_ref().and_then(|change| change.to.clone());
        let read = |value: Option<Value>| match value {
            Some(value) if value.holds_unknown() => Side::NotRead,
            value => Side::Read(value),
        };
        let (expected_value, found_value) = match (&then, &now) {
            (Some(a), Some(b)) if a.from == b.from => (Side::Wanted(to(&then)), Side::Wanted(to(&now))),
            // No change is needed any more. The present value is unknown here, and is not the old desired one.
            (Some(_), None) => (Side::Read(from(&then)), Side::Right),
            (None, Some(_)) => (Side::Right, read(from(&now))),
            _ => (Side::Read(from(&then)), read(from(&now))),
        };
        moved.push(Moved::Property {
            resource: expected.resource.clone(),
            property: property.clone(),
            expected: expected_value,
            found: found_value,
        });
    }
}

/// Whether a check during the apply must find exactly the approved state. A step that depends on predictions, or is
/// known after apply, may find another. Certainty and this are separate; see [`Step::binds_what_is`].
pub fn is_binding(step: &Step) -> bool {
    (step.certainty == Certainty::Known || step.binds_what_is) && step.error.is_none()
}

fn declared(graph: &Graph, step: &Step) -> String {
    #[derive(Serialize)]
    struct Declared<'a> {
        kind: &'a str,
        name: &'a str,
        params: Params,
        meta: Params,
    }
    let resource: Option<&Resource> = graph.find(&step.resource).and_then(|at| graph.resource(at));
    let Some(resource) = resource else { return String::new() };
    let wanted = resource.meant();
    let masked = |params: &Params| params.iter().map(|(name, value)| (name.clone(), mask(value))).collect();
    hash(&Declared {
        kind: &wanted.kind,
        name: &wanted.name,
        params: masked(&wanted.params),
        meta: masked(&resource.meta),
    })
}

fn hash(data: &impl Serialize) -> String {
    let text = serde_json::to_vec(data).expect("it is plain data with names for keys");
    hash_text(&text)
}

/// Returns the hash of a text, in hexadecimal digits.
pub fn hash_text(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

fn without_secrets(step: &Step) -> Step {
    Step { changes: step.changes.iter().map(change_without_secrets).collect(), ..step.clone() }
}

fn change_without_secrets(change: &Change) -> Change {
    let side = |value: &Option<Value>| {
        value.as_ref().map(|value| if change.sensitive { Value::Sensitive(Box::new(Value::Null)) } else { mask(value) })
    };
    Change { from: side(&change.from), to: side(&change.to), ..change.clone() }
}

/// Replaces secrets in a value.
fn mask(value: &Value) -> Value {
    match value {
        Value::Sensitive(_) => Value::Sensitive(Box::new(Value::Null)),
        Value::List(items) => Value::List(items.iter().map(mask).collect()),
        Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (mask(key), mask(value))).collect()),
        Value::Struct(fields) => {
            Value::Struct(fields.iter().map(|(name, value)| (name.clone(), mask(value))).collect())
        }
        Value::Deferred(how) => Value::Deferred(Box::new(mask(how))),
        // JSON has no such numbers. The text keeps the plan readable.
        Value::Float(number) if !number.is_finite() => Value::Str(number.to_string().into()),
        other => other.clone(),
    }
}
