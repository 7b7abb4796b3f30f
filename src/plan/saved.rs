//! A saved plan: what was seen and approved, so that an apply can tell whether it still holds.
//!
//! It holds no code and nothing to run: an apply compiles the entry anew, previews it anew, and compares. What is
//! compared is what resources manage, and no more. Values that are marked secret are not in it, in clear or as a hash, so
//! that such a value changed is not told here. What a step would write over is sealed with a key that is not in the plan:
//! of what is kept from others it holds no more than the size, and all the same it is told when that changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Action, Certainty, Change, Plan, Step, is_broken};
use crate::graph::{Graph, Params, Resource, ResourceId, Value};

/// What stands at the head of every saved plan.
const FORMAT: &str = "workbench-plan";

/// The format that this version writes.
const VERSION: u32 = 1;

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
    /// The hash of everything below.
    pub plan: String,
    /// As the user typed it.
    pub entry: String,
    /// Where the entry lies; `None` where it was code.
    pub path: Option<String>,
    /// Whether guards were asked.
    pub run_guards: bool,
    pub sources: Vec<SavedSource>,
    pub modules: Vec<SavedModule>,
    pub steps: Vec<SavedStep>,
}

/// What a plan was made from, beside the graph.
#[derive(Clone, Debug, Default)]
pub struct MadeFrom {
    pub path: Option<String>,
    pub run_guards: bool,
    pub sources: Vec<SavedSource>,
    pub modules: Vec<SavedModule>,
}

/// A file that was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSource {
    pub file: String,
    pub hash: String,
}

/// A module that was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedModule {
    pub name: String,
    pub commit: Option<String>,
}

/// A step with what its resource asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedStep {
    pub step: Step,
    /// The hash of the resource as declared; secrets are left out.
    pub declared: String,
}

/// Why a text is no plan that can be applied.
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

/// One way in which a saved plan does not hold any more.
#[derive(Clone, Debug, PartialEq)]
pub enum Moved {
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
    /// It cannot be looked at any more, and why.
    Unread {
        resource: ResourceId,
        why: String,
    },
    /// What it would write over, and may not be shown.
    Sealed {
        resource: ResourceId,
    },
}

/// What a plan says of a property, and what is known of it now. A value that is wanted is never told as one that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Side {
    /// It was read; no value where there was none.
    Read(Option<Value>),
    /// What it shall become, where what is there is the same.
    Wanted(Option<Value>),
    /// It needs no change.
    Right,
    /// Nobody read it.
    NotRead,
}

impl SavedPlan {
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
            sources,
            modules,
            steps: steps.collect(),
        };
        frozen.plan = frozen.content_hash();
        frozen
    }

    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("it is plain data with names for keys");
        text.push('\n');
        text
    }

    /// Reads a plan that may come from anywhere.
    pub fn parse(text: &[u8]) -> Result<Self, SavedPlanError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let unreadable = |error: serde_json::Error| SavedPlanError::Unreadable(error.to_string());
        let head: Head = serde_json::from_slice(text).map_err(unreadable)?;
        match (&*head.format, head.version) {
            (FORMAT, VERSION) => {}
            (FORMAT, version) => return Err(SavedPlanError::Version(version)),
            _ => return Err(SavedPlanError::Unreadable("a different file format".into())),
        }
        let frozen: SavedPlan = serde_json::from_slice(text).map_err(unreadable)?;
        if frozen.steps.len() > MOST_STEPS {
            return Err(SavedPlanError::TooLarge);
        }
        if frozen.plan != frozen.content_hash() { Err(SavedPlanError::Hash) } else { Ok(frozen) }
    }

    fn content_hash(&self) -> String {
        hash(&SavedPlan { plan: String::new(), ..self.clone() })
    }

    /// The step of each resource, as it was approved.
    pub fn expected(&self) -> BTreeMap<ResourceId, Step> {
        self.steps.iter().map(|frozen| (frozen.step.resource.clone(), frozen.step.clone())).collect()
    }

    /// What is different in a plan that was made just now. Where the sources are too, they come first: they are the cause.
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
        let hashes: BTreeMap<_, _> = now.sources.iter().map(|source| (&source.file, &source.hash)).collect();
        for source in &self.sources {
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

/// Holds a step against the one that was approved: what is there, what it shall become, and what is kept from others.
pub fn compare_steps(expected: &Step, found: &Step, moved: &mut Vec<Moved>) {
    let resource = || found.resource.clone();
    let before = moved.len();
    if let (None, Some(why)) = (&expected.error, &found.error) {
        moved.push(Moved::Unread { resource: resource(), why: why.clone() });
        return;
    }
    compare_changes(expected, &found.changes, moved);
    if expected.action != found.action && moved.len() == before {
        moved.push(Moved::Action { resource: resource(), expected: expected.action, found: found.action });
    }
    if moved.len() == before && is_broken(expected.seal.as_deref(), found.seal.as_deref()) {
        moved.push(Moved::Sealed { resource: resource() });
    }
}

/// Holds what a check found on the way against what was approved. What the plan said to be known only while applying may become
/// anything, also what is there already; what is there has to be what it was.
pub fn compare_on_the_way(expected: &Step, found: &[Change], moved: &mut Vec<Moved>) {
    let is_open = |change: &Change| change.to.as_ref().is_some_and(Value::holds_unknown);
    let found = found.iter().map(|change| {
        let mut open = expected.changes.iter().filter(|then| is_open(then));
        let to = open.find(|then| then.property == change.property).map_or(&change.to, |then| &then.to);
        Change { to: to.clone(), ..change.clone() }
    });
    let found: Vec<Change> = found.collect();
    let is_settled = |change: &Change| is_open(change) && found.iter().all(|now| now.property != change.property);
    let changes = expected.changes.iter().filter(|change| !is_settled(change)).cloned().collect();
    compare_changes(&Step { changes, ..expected.clone() }, &found, moved);
}

/// Holds what a check found against what was approved: both what is there and what it shall become.
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
        // Where what is there is the same, what is wanted is not.
        let from = |change: &Option<Change>| change.as_ref().and_then(|change| change.from.clone());
        let to = |change: &Option<Change>| change.as_ref().and_then(|change| change.to.clone());
        let read = |value: Option<Value>| match value {
            Some(value) if value.holds_unknown() => Side::NotRead,
            value => Side::Read(value),
        };
        let (expected_value, found_value) = match (&then, &now) {
            (Some(a), Some(b)) if a.from == b.from => (Side::Wanted(to(&then)), Side::Wanted(to(&now))),
            // No change to make any more. What it was found to be is not told, and what is wanted is not that.
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

/// Whether a check on the way has to find exactly what the step says. What rests on guesses about earlier steps, or is
/// not known before, may turn out otherwise; how sure a step is and what of it binds are two things, see
/// [`Step::binds_what_is`].
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

/// The hash of a text, in hexadecimal digits.
pub fn hash_text(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
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

/// A value without what is secret in it.
fn mask(value: &Value) -> Value {
    match value {
        Value::Sensitive(_) => Value::Sensitive(Box::new(Value::Null)),
        Value::List(items) => Value::List(items.iter().map(mask).collect()),
        Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (mask(key), mask(value))).collect()),
        Value::Struct(fields) => {
            Value::Struct(fields.iter().map(|(name, value)| (name.clone(), mask(value))).collect())
        }
        Value::Deferred(how) => Value::Deferred(Box::new(mask(how))),
        // JSON has no number for these, and a plan has to be read back as it was.
        Value::Float(number) if !number.is_finite() => Value::Str(number.to_string().into()),
        other => other.clone(),
    }
}
