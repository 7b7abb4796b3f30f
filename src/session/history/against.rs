//! Compares a plan with the last deploy of the same entry, with the reason for each difference.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use crate::deploy::{History, Since, StateFolder};
use crate::diag::{Diagnostics, Stage};
use crate::graph::{ResourceId, Value};
use crate::lang::own_name;
use crate::module::{LanguageName, Typed, resolve_entry};
use crate::plan::{Action, Change, Plan, Step};
use crate::session::history::{self, Begin, Deploy, LoggedStep, Outcome, StateError};
use crate::session::next_step::is_command;
use crate::session::{Session, state_path};
use crate::source::Sources;
use crate::world::{PathKind, World};

/// The differences between a plan and a deploy.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    pub deploy: u64,
    pub time: String,
    /// The newest deploy of the entry, if it is a later one. It changed nothing.
    pub newest: Option<u64>,
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
    /// The cause of each property's change, with the language's name of the property.
    pub because: Vec<(String, Cause)>,
}

/// Why a resource is not as a deploy left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was not part of the deploy.
    New,
    /// It is no longer part of the program.
    Gone,
    /// The deploy failed at it, skipped it, or was blocked there: the journal's word.
    NotDone(String),
    /// The deploy did this to it, and it needs a change again.
    Again(Action),
    /// A command that ran then and would run again.
    Ran,
    /// A command that may run: its guard was not tried.
    Untried(Action),
}

/// Why a property would change again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The program has not changed, so another program or a user changed the machine.
    ByHand,
    /// A later deploy changed it.
    ByDeploy(u64),
    /// The program has changed.
    Edited,
    /// The deploys of this entry hold no desired value to compare with.
    Unrecorded,
    /// Journals hold no secrets, so the cause is unknown.
    Secret,
}

impl Why {
    /// Describes the reason for a list of steps.
    pub fn words(&self) -> String {
        let did = |action: &Action| match action {
            Action::Create => "created by that deploy",
            Action::Change => "changed by that deploy",
            Action::Replace => "replaced by that deploy",
            Action::Remove => "removed by that deploy",
            Action::Run => "ran in that deploy",
            Action::None => "unchanged in that deploy",
            Action::Unknown => "part of that deploy",
        };
        match self {
            Why::New => "new in the program".into(),
            Why::Gone => "no longer in the program".into(),
            Why::NotDone(state) => format!("{state} in that deploy"),
            Why::Again(action) => did(action).into(),
            Why::Ran => "ran in that deploy, will run again".into(),
            Why::Untried(action) => format!("{}; its guard was not tried (`--run-guards` tries it)", did(action)),
        }
    }
}

impl Cause {
    /// Describes the cause for a list of steps.
    pub fn words(self) -> String {
        match self {
            Cause::ByHand => "changed outside workbench since".into(),
            Cause::ByDeploy(deploy) => format!("changed by deploy {deploy} since"),
            Cause::Edited => "changed in the program".into(),
            Cause::Unrecorded => "changed since, outside workbench or in the program".into(),
            Cause::Secret => "secret: not comparable".into(),
        }
    }
}

impl Against {
    /// The heading: which deploy, and when.
    pub fn words(&self) -> String {
        let newest = self.newest.map_or(String::new(), |newest| format!(" ({newest}, the newest, changed nothing)"));
        format!("deploy {} of {}{newest}", self.deploy, self.time)
    }
}

/// What a deploy did to a resource, or planned if it did not reach it.
struct Past {
    resource: ResourceId,
    action: Action,
    changes: Vec<Change>,
}

/// The deploy to compare with, and what is known beside it.
#[derive(Debug)]
pub struct Last {
    pub deploy: Deploy,
    /// The newest deploy of the entry, if it is a later one.
    newest: Option<u64>,
    /// The earlier deploys of the entry that changed something, newest first, as far as they were read.
    earlier: Vec<Deploy>,
    since: Since,
}

impl Last {
    /// A deploy without any other.
    pub fn of(deploy: Deploy) -> Self {
        Self { deploy, newest: None, earlier: Vec::new(), since: Since::default() }
    }
}

/// Compares a plan with a deploy of the same entry. Resources that were done then and are unchanged now are only
/// counted. `graph` is the hash of the plan's graph: if it is the deploy's, the program has not changed.
pub fn against(plan: &Plan, graph: Option<&str>, last: &Last) -> Against {
    let deploy = &last.deploy;
    let past = as_plan(deploy);
    let then: BTreeMap<&ResourceId, &Past> = past.iter().map(|step| (&step.resource, step)).collect();
    let undone: BTreeMap<&ResourceId, &str> = {
        let last: BTreeMap<_, _> = deploy.outcomes.iter().map(|outcome| (&outcome.resource, &*outcome.state)).collect();
        last.into_iter().filter(|(_, state)| *state != "done").collect()
    };
    let causes = Causes::new(graph.is_some_and(|graph| graph == deploy.graph()), last);
    let mut kept = 0;
    let mut differences = Vec::new();
    for step in &plan.steps {
        let before = then.get(&step.resource);
        let is_idle = step.action == Action::None && step.error.is_none() && !step.is_blocked();
        let why = match before {
            None => Why::New,
            Some(_) if is_idle => {
                kept += 1;
                continue;
            }
            Some(_) if let Some(state) = undone.get(&step.resource) => Why::NotDone((*state).to_owned()),
            Some(before) if is_command(step) && step.action == Action::Unknown => Why::Untried(before.action),
            Some(before) if before.action == Action::Run && step.action == Action::Run => Why::Ran,
            Some(before) => Why::Again(before.action),
        };
        let because = match (&why, before) {
            (Why::Again(_) | Why::Ran | Why::Untried(_), Some(before)) => causes.of(before, step),
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
    let Deploy { begin, .. } = deploy;
    Against { deploy: begin.deploy, time: begin.time.clone(), newest: last.newest, differences, kept }
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
pub(in crate::session) fn change_of(change: &Json) -> Change {
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

/// Finds the causes of changes.
struct Causes<'a> {
    /// The program has not changed since the deploy.
    is_same: bool,
    /// The change of a property in the newest earlier deploy that changed it.
    earlier: FxHashMap<(&'a ResourceId, &'a str), &'a Json>,
    /// The later deploy that wrote a path of a resource.
    later: FxHashMap<&'a ResourceId, u64>,
}

impl<'a> Causes<'a> {
    fn new(is_same: bool, last: &'a Last) -> Self {
        let mut earlier = FxHashMap::default();
        for outcome in last.earlier.iter().flat_map(|deploy| deploy.outcomes.iter().rev()) {
            for change in &outcome.changes {
                let property = change["property"].as_str().unwrap_or_default();
                earlier.entry((&outcome.resource, property)).or_insert(change);
            }
        }
        let mut later: FxHashMap<&ResourceId, u64> = FxHashMap::default();
        for step in std::iter::once(&last.deploy).chain(&last.earlier).flat_map(|deploy| &deploy.steps) {
            if let Some(deploy) = step.intent.operation.path().and_then(|path| last.since.wrote_at(path)) {
                let newest = later.entry(&step.intent.resource).or_default();
                *newest = deploy.max(*newest);
            }
        }
        Self { is_same, earlier, later }
    }

    /// Returns the cause of each property's change.
    fn of(&self, before: &Past, now: &Step) -> Vec<(String, Cause)> {
        let is_command = is_command(now);
        let causes = now
            .changes
            .iter()
            .filter_map(|change| Some((own_name(&now.resource, change)?.to_owned(), self.cause(before, change))));
        // The parameters of a command differ from nothing on the machine: only the program can change them.
        causes.filter(|(_, cause)| !is_command || *cause == Cause::Edited).collect()
    }

    fn cause(&self, before: &Past, change: &Change) -> Cause {
        let Change { property, to, sensitive, .. } = change;
        let elsewhere = || self.later.get(&before.resource).copied().map_or(Cause::ByHand, Cause::ByDeploy);
        let recorded = before.changes.iter().find(|change| change.property == *property).cloned();
        let earlier = || self.earlier.get(&(&before.resource, &**property)).map(|change| change_of(change));
        match recorded.or_else(earlier) {
            _ if self.is_same => elsewhere(),
            Some(then) if then.sensitive || *sensitive => Cause::Secret,
            Some(then) if is_recorded_as(then.to.as_ref(), to.as_ref()) => elsewhere(),
            Some(_) => Cause::Edited,
            None => Cause::Unrecorded,
        }
    }
}

/// Whether a desired value is the recorded one. Journals cut long texts.
fn is_recorded_as(recorded: Option<&Value>, now: Option<&Value>) -> bool {
    match (recorded, now) {
        (Some(Value::Str(recorded)), Some(Value::Str(now))) if recorded != now => {
            recorded.strip_suffix('…').is_some_and(|start| now.len() > recorded.len() && now.starts_with(start))
        }
        _ => recorded == now,
    }
}

impl Session {
    /// Returns the newest deploy of this entry that changed something and was not undone.
    pub fn last_deploy(&self, state: Option<&PathBuf>) -> Result<Option<Last>, StateError> {
        /// How many earlier deploys are read for the desired values that they record.
        const EARLIER: usize = 20;
        let here = self.starts_at(Path::new(&self.entry().shown));
        // A history repeats a few entries many times, and resolving one reads the disk.
        let mut looked_at = FxHashMap::default();
        let mut is_here =
            |entry: PathBuf| *looked_at.entry(entry).or_insert_with_key(|entry| self.starts_at(entry) == here);
        let (mut newest, mut found, mut earlier) = (None, None, Vec::new());
        for summary in history::in_effect(state)? {
            let summary = summary?;
            let Some(begin) = summary.begin.filter(|begin| is_here(begin.folder.join(&begin.entry))) else { continue };
            let deploy = history::deploy(state, Some(begin.deploy))?;
            // A deploy that changed nothing left the state of the one before it.
            match (deploy.steps.iter().any(LoggedStep::was_done), &found) {
                (false, None) => newest = newest.or(Some(begin.deploy)),
                (false, Some(_)) => {}
                (true, None) => found = Some(deploy),
                (true, Some(_)) => earlier.push(deploy),
            }
            if earlier.len() == EARLIER {
                break;
            }
        }
        let Some(deploy) = found else { return Ok(None) };
        let since = Since::of(&History::new(&StateFolder::at(&state_path(state)?)), deploy.begin.deploy)?;
        Ok(Some(Last { deploy, newest, earlier, since }))
    }

    /// Whether there may be a deploy to compare with. Returns true if the answer is unknown or expensive.
    pub fn may_have_last_deploy(&self, state: Option<&PathBuf>) -> bool {
        /// The number of deploys to read. Each is a file.
        const LOOKED_AT: usize = 200;
        let Ok(in_effect) = history::in_effect(state) else { return true };
        let here = self.starts_at(Path::new(&self.entry().shown));
        let mut looked_at = FxHashMap::default();
        let mut is_here =
            |entry: PathBuf| *looked_at.entry(entry).or_insert_with_key(|entry| self.starts_at(entry) == here);
        let mut in_effect = in_effect.enumerate();
        in_effect.any(|(at, summary)| {
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
        start_of(&*self.world, path, Some(self.entry().language))
    }
}

/// Returns the start file of an entry: a folder, its metadata and its file are the same entry.
pub(in crate::session) fn start_of(world: &dyn World, path: &Path, language: Option<LanguageName>) -> PathBuf {
    let typed = Typed { entry: path.to_str(), language, ..Typed::default() };
    let is_there = world.kind(path) != PathKind::Missing;
    let mut ignored = (Sources::default(), Diagnostics::new(Stage::Module));
    let entry = is_there.then(|| resolve_entry(world, typed, &mut ignored.0, &mut ignored.1)).flatten();
    resolved(entry.and_then(|entry| entry.file).as_deref().unwrap_or(path))
}

/// Resolves the links of a path, if it exists.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}
