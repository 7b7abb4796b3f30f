//! A plan against the last deploy of the same entry: what it would do again or otherwise, and why.

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

/// How a plan differs from a deploy.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    pub deploy: u64,
    pub time: String,
    pub differences: Vec<Difference>,
    /// How many resources are in sync, as that deploy left them.
    pub kept: usize,
}

/// One resource with which it is not as the deploy left it.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub resource: ResourceId,
    pub why: Why,
    /// What the plan would do now; none where the program has it no more.
    pub action: Option<Action>,
    /// What is behind each property that would change.
    pub because: Vec<(String, Cause)>,
}

/// Why a resource is not as a deploy left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was no part of the deploy.
    New,
    /// It is no part of the program any more.
    Gone,
    /// The deploy failed at it, skipped it, or was blocked there.
    NotDone,
    /// The deploy did it, or found it right; there is something to do again.
    Again,
    /// A command that ran then, and would run again.
    Ran,
}

/// Why a property would change again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The program asks for the same as then: somebody else changed it since.
    Drifted,
    /// The program asks for something else now.
    Edited,
    /// The deploy did not touch it.
    Untouched,
    /// No journal keeps what is secret, so nobody can tell.
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

/// What a deploy did to a resource, or was to do where its turn did not come.
struct Past {
    resource: ResourceId,
    action: Action,
    changes: Vec<Change>,
}

/// Compares a plan with a deploy of the same entry. What is in sync now and was done then is only counted.
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

/// Each resource of a deploy once, as its last turn has it, in the order of the first turns.
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

/// A change as a journal keeps it.
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

/// A value as a journal keeps it.
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

/// What is behind each property that would change again.
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
    // A command runs each time, where nothing guards it, and nobody changes one on the machine: the program does.
    let is_told = |cause: &Cause| now.action != Action::Run || *cause == Cause::Edited;
    causes.filter(|(_, cause)| is_told(cause)).collect()
}

impl Session {
    /// The newest deploy of this entry that changed something and was not taken back; none where there is none.
    pub fn last_deploy(&self, state: Option<&PathBuf>) -> Result<Option<Deploy>, StateError> {
        let here = self.starts_at(Path::new(&self.entry().shown));
        // A history names few entries many times, and to find out where one starts takes a look at the disk.
        let mut looked_at = FxHashMap::default();
        let mut is_here =
            |entry: PathBuf| *looked_at.entry(entry).or_insert_with_key(|entry| self.starts_at(entry) == here);
        for summary in history::standing(state)? {
            let summary = summary?;
            let Some(begin) = summary.begin.filter(|begin| is_here(begin.folder.join(&begin.entry))) else { continue };
            let deploy = history::deploy(state, Some(begin.deploy))?;
            // One that found all as it should be, or came to nothing, left no more than the one before it.
            if deploy.steps.iter().any(DeedStep::was_done) {
                return Ok(Some(deploy));
            }
        }
        Ok(None)
    }

    /// Whether something was applied from here that may be compared with; true where it would take long to know, or nobody can.
    pub fn may_have_last_deploy(&self, state: Option<&PathBuf>) -> bool {
        /// Older deploys are not looked at: each is a file.
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

    /// Whether a deploy is of this entry, however it was named then.
    pub fn is_of(&self, begin: &Begin) -> bool {
        self.is_at(&begin.folder.join(&begin.entry))
    }

    /// Whether this entry is what a path leads to, in whatever way it was typed.
    pub fn is_at(&self, path: &Path) -> bool {
        self.starts_at(path) == self.starts_at(Path::new(&self.entry().shown))
    }

    /// The file that an entry starts at: a folder, its metadata and its file are three ways to say one thing.
    fn starts_at(&self, path: &Path) -> PathBuf {
        let typed = Typed { entry: path.to_str(), language: Some(self.entry().language), ..Typed::default() };
        let is_there = self.world.kind(path) != PathKind::Missing;
        let mut unheard = (Sources::default(), Diagnostics::new(Stage::Module));
        let entry = is_there.then(|| resolve_entry(&*self.world, typed, &mut unheard.0, &mut unheard.1)).flatten();
        settled(entry.and_then(|entry| entry.file).as_deref().unwrap_or(path))
    }
}

/// A path without links and detours, where it leads anywhere.
fn settled(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}
