//! Compares a plan with the last deploy of the same entry, with the reason for each difference.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::Session;
use super::history::{self, Begin, DeedStep, Deploy, Outcome, StateError};
use crate::diag::{Diagnostics, Stage};
use crate::graph::{ResourceId, Value};
use crate::module::{Typed, resolve_entry};
use crate::plan::{Action, Change, Plan, Step};
use crate::source::Sources;
use crate::world::PathKind;

/// The differences between a plan and a deploy.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    pub deploy: u64,
    pub time: String,
    pub differences: Vec<Difference>,
    /// The number of unchanged resources, as that deploy left them.
    pub kept: usize,
}

/// A resource that is not as the deploy left it.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub resource: ResourceId,
    pub why: Why,
    /// The planned action; `None` if the program no longer has the resource.
    pub action: Option<Action>,
    /// The cause of each property's change.
    pub because: Vec<(String, Cause)>,
}

/// Why a resource is not as a deploy left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was not part of the deploy.
    New,
    /// It is no longer part of the program.
    Gone,
    /// The deploy failed at it, skipped it, or was blocked there.
    NotDone,
    /// The deploy applied it or found it unchanged, and it needs a change again.
    Again,
    /// A command that ran then and would run again.
    Ran,
}

/// Why a property would change again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The program has not changed, so another program or a user changed the machine.
    Drifted,
    /// The program has changed.
    Edited,
    /// The deploy did not touch it.
    Untouched,
    /// Journals hold no secrets, so the cause is unknown.
    Secret,
}

impl Why {
    pub fn words(self) -> &'static str {
        match self {
            Why::New => "new in the program",
            Why::Gone => "no longer in the program",
            Why::NotDone => "was not done in that deploy",
            Why::Again => "was unchanged in that deploy",
            Why::Ran => "ran in that deploy, will run again",
        }
    }
}

impl Cause {
    pub fn words(self) -> &'static str {
        match self {
            Cause::Drifted => "changed since outside workbench",
            Cause::Edited => "changed in the program",
            Cause::Untouched => "not changed in that deploy",
            Cause::Secret => "secret: not comparable",
        }
    }
}

/// What a deploy did to a resource, or planned if it did not reach it.
struct Past {
    resource: ResourceId,
    action: Action,
    changes: Vec<Change>,
}

/// Compares a plan with a deploy of the same entry. Resources that were done then and are unchanged now are only
/// counted.
pub fn against(plan: &Plan, deploy: &Deploy) -> Against {
    let past = as_plan(deploy);
    let then: BTreeMap<&ResourceId, &Past> = past.iter().map(|step| (&step.resource, step)).collect();
    let undone: BTreeSet<&ResourceId> = {
        let last: BTreeMap<_, _> = deploy.outcomes.iter().map(|outcome| (&outcome.resource, &*outcome.state)).collect();
        last.into_iter().filter(|(_, state)| *state != "done").map(|(id, _)| id).collect()
    };
    let mut kept = 0;
    let mut differences = Vec::new();
    for step in &plan.steps {
        let before = then.get(&step.resource);
        let is_idle = step.action == Action::None && step.error.is_none();
        let why = match before {
            None => Why::New,
            Some(_) if undone.contains(&step.resource) && !is_idle => Why::NotDone,
            Some(_) if is_idle => {
                kept += 1;
                continue;
            }
            Some(before) if before.action == Action::Run && step.action == Action::Run => Why::Ran,
            Some(_) => Why::Again,
        };
        let because = match (why, before) {
            (Why::Again | Why::Ran, Some(before)) => causes(before, step),
            _ => Vec::new(),
        };
        let (resource, action) = (step.resource.clone(), Some(step.action));
        differences.push(Difference { resource, why, action, because });
    }
    let now: BTreeSet<&ResourceId> = plan.steps.iter().map(|step| &step.resource).collect();
    let gone = past.iter().map(|step| &step.resource).filter(|id| !now.contains(id));
    differences.extend(gone.map(|id| Difference {
        resource: id.clone(),
        why: Why::Gone,
        action: None,
        because: Vec::new(),
    }));
    Against { deploy: deploy.begin.deploy, time: deploy.begin.time.clone(), differences, kept }
}

/// Returns each resource of a deploy with its last step, in the order of the first steps.
fn as_plan(deploy: &Deploy) -> Vec<Past> {
    let mut steps: Vec<Past> = Vec::new();
    let mut places: BTreeMap<&ResourceId, usize> = BTreeMap::new();
    for outcome in &deploy.outcomes {
        let at = *places.entry(&outcome.resource).or_insert(steps.len());
        match steps.get_mut(at) {
            Some(there) => *there = past_of(outcome),
            None => steps.push(past_of(outcome)),
        }
    }
    steps
}

fn past_of(outcome: &Outcome) -> Past {
    let action = |word: &str| serde_json::from_value::<Action>(Json::from(word)).ok();
    let planned = || outcome.planned.as_ref().and_then(|planned| action(&planned.action));
    let action = action(&outcome.action).or_else(planned).unwrap_or(Action::Unknown);
    let changes = outcome.changes.iter().map(change_of).collect();
    Past { resource: outcome.resource.clone(), action, changes }
}

/// Converts a change from a journal.
pub(super) fn change_of(change: &Json) -> Change {
    let is_secret = |side: &Json| side.get("$sensitive").is_some();
    let (from, to) = (&change["from"], &change["to"]);
    Change {
        property: change["property"].as_str().unwrap_or_default().into(),
        from: (!from.is_null()).then(|| value_of(from)),
        to: (!to.is_null() || change["set"] != Json::Bool(false)).then(|| value_of(to)),
        sensitive: change["sensitive"] == Json::Bool(true) || is_secret(from) || is_secret(to),
    }
}

/// Converts a value from a journal.
fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or_default()), Value::Int)
        }
        Json::String(text) => Value::Str(text.as_str().into()),
        Json::Array(items) => Value::List(items.iter().map(value_of).collect()),
        Json::Object(fields) if fields.contains_key("$sensitive") => Value::Sensitive(Box::new(Value::Null)),
        Json::Object(fields) if fields.contains_key("$unknown") => Value::Unknown,
        Json::Object(fields) => {
            Value::Struct(fields.iter().map(|(name, value)| (name.as_str().into(), value_of(value))).collect())
        }
    }
}

/// Returns the cause of each property's change.
fn causes(before: &Past, now: &Step) -> Vec<(String, Cause)> {
    let cause = |property: &str, to: &Option<Value>| {
        let then = before.changes.iter().find(|change| change.property == property);
        match then {
            None => Cause::Untouched,
            Some(then) if then.sensitive => Cause::Secret,
            Some(then) if then.to == *to => Cause::Drifted,
            Some(_) => Cause::Edited,
        }
    };
    let causes = now.changes.iter().map(|change| (change.property.clone(), cause(&change.property, &change.to)));
    // An unguarded command runs each time, and only the program can change it.
    let is_told = |cause: &Cause| now.action != Action::Run || *cause == Cause::Edited;
    causes.filter(|(_, cause)| is_told(cause)).collect()
}

impl Session {
    /// Returns the newest deploy of this entry that changed something and was not undone.
    pub fn last_deploy(&self, state: Option<&PathBuf>) -> Result<Option<Deploy>, StateError> {
        let here = self.starts_at(Path::new(&self.entry().shown));
        // A history repeats a few entries many times, and resolving one reads the disk.
        let mut looked_at = FxHashMap::default();
        let mut is_here =
            |entry: PathBuf| *looked_at.entry(entry).or_insert_with_key(|entry| self.starts_at(entry) == here);
        for summary in history::standing(state)? {
            let summary = summary?;
            let Some(begin) = summary.begin.filter(|begin| is_here(begin.folder.join(&begin.entry))) else { continue };
            let deploy = history::deploy(state, Some(begin.deploy))?;
            // A deploy that changed nothing left the state of the one before it.
            if deploy.steps.iter().any(DeedStep::was_done) {
                return Ok(Some(deploy));
            }
        }
        Ok(None)
    }

    /// Whether there may be a deploy to compare with. Returns true if the answer is unknown or expensive.
    pub fn may_have_last_deploy(&self, state: Option<&PathBuf>) -> bool {
        /// The number of deploys to read. Each is a file.
        const LOOKED_AT: usize = 200;
        let Ok(standing) = history::standing(state) else { return true };
        let here = self.starts_at(Path::new(&self.entry().shown));
        let mut looked_at = FxHashMap::default();
        let mut is_here =
            |entry: PathBuf| *looked_at.entry(entry).or_insert_with_key(|entry| self.starts_at(entry) == here);
        let mut standing = standing.enumerate();
        standing.any(|(at, summary)| {
            let begin = summary.ok().and_then(|summary| summary.begin);
            at >= LOOKED_AT || begin.is_none_or(|begin| is_here(begin.folder.join(&begin.entry)))
        })
    }

    /// Whether a deploy is of this entry, whatever its spelling then.
    pub fn is_of(&self, begin: &Begin) -> bool {
        self.is_at(&begin.folder.join(&begin.entry))
    }

    /// Whether a path leads to this entry, whatever its spelling.
    pub fn is_at(&self, path: &Path) -> bool {
        self.starts_at(path) == self.starts_at(Path::new(&self.entry().shown))
    }

    /// Returns the start file of an entry: a folder, its metadata and its file are the same entry.
    fn starts_at(&self, path: &Path) -> PathBuf {
        let typed = Typed { entry: path.to_str(), language: Some(self.entry().language), ..Typed::default() };
        let is_there = self.world.kind(path) != PathKind::Missing;
        let mut unheard = (Sources::default(), Diagnostics::new(Stage::Module));
        let entry = is_there.then(|| resolve_entry(&*self.world, typed, &mut unheard.0, &mut unheard.1)).flatten();
        settled(entry.and_then(|entry| entry.file).as_deref().unwrap_or(path))
    }
}

/// Resolves the links of a path, if it exists.
fn settled(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}
