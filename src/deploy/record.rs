//! Records a deploy: its beginning, each resource's outcome without secrets, its end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::{History, Lock, Repeats, StateError, StateFolder};
use crate::engine::message::{Event, TurnState};
use crate::engine::run_view::RunView;
use crate::graph::{Graph, Node, Reason, Resource, ResourceId, Secrets, export};
use crate::host::HostError;
use crate::host::journal::{
    Amended, Begin, End, Ending, Failure, Journal, Journalled, Outcome, Prediction, Purpose, Record, Sums, Undone,
};
use crate::plan::{Action, Certainty, Change, Step};
use crate::resource::export::is_export;
use crate::resource::reversal::is_reversal;
use crate::source::hex;

/// Longer texts of a change are cut: the history is for reading.
const SHOWN: usize = 4 << 10;

/// A deploy being recorded. It holds the lock.
#[derive(Debug)]
pub struct Recording {
    journal: Arc<Journal>,
    deploy: u64,
    journal_path: PathBuf,
    secrets: Mutex<Secrets>,
    /// The approved plan, if there is one.
    planned: BTreeMap<ResourceId, (Action, Certainty)>,
    end: Mutex<Progress>,
    /// This deploy resumes an interrupted one. It leaves no journal if it runs no step.
    resumes: bool,
    /// Set if the deploy leaves no journal unless it changes something.
    idle: Option<(StateFolder, Arc<Repeats>)>,
    /// Shared with the operations that follow this deploy.
    _lock: Arc<Lock>,
}

#[derive(Debug)]
struct Progress {
    end: End,
    /// A step was run, or all steps are finished.
    has_run: bool,
    /// There are entries after the last end.
    open: bool,
    /// The number of the last entry to make durable.
    written: u64,
    /// All steps are finished and some failed. This is the end, unless they are retried.
    failed_end: Option<End>,
    /// The result of each resource's last step.
    view: RunView,
    failure: Option<Failure>,
    /// The results of an undo by resource. Each pair counts once.
    undone: BTreeSet<(ResourceId, String)>,
    /// In an undo: resources of which something was not undone.
    incomplete: BTreeSet<ResourceId>,
    /// The number of resources, if known.
    total: Option<u64>,
}

/// A list cuts the reason of a failure at this length.
const REASON: usize = 300;

impl Progress {
    fn new() -> Self {
        Self {
            end: End::default(),
            has_run: false,
            open: true,
            written: 0,
            failed_end: None,
            view: RunView::without_steps(),
            failure: None,
            undone: BTreeSet::new(),
            incomplete: BTreeSet::new(),
            total: None,
        }
    }

    /// Updates the reason of a failure after a step. `error` holds no secrets.
    fn set_failure(&mut self, resource: &ResourceId, error: Option<&str>) {
        if let Some(error) = error {
            let error = error[..error.floor_char_boundary(REASON)].to_owned();
            let at = self.view.counts().ended() as u64;
            self.failure = Some(Failure { resource: resource.clone(), error, at });
        } else if self.failure.as_ref().is_some_and(|failure| failure.resource == *resource) {
            self.failure = None;
        }
    }

    /// Returns the sums by action; `None` if no step has finished.
    fn sums(&self) -> Option<Sums> {
        let mut sums = Sums::default();
        let done = self.view.rows().iter().filter(|row| row.state == TurnState::Done);
        for did in done.filter_map(|row| row.did) {
            sums.refresh += u64::from(did.refresh);
            *match did.action {
                Action::Create => &mut sums.create,
                Action::Change => &mut sums.change,
                Action::Replace => &mut sums.replace,
                Action::Remove => &mut sums.remove,
                Action::Run => &mut sums.run,
                Action::None | Action::Unknown => continue,
            } += 1;
        }
        (self.view.counts().ended() > 0).then_some(sums)
    }

    /// Returns the counts of the finished steps of a deploy that was stopped. An undo counts for itself.
    fn stopped(&self) -> End {
        let counts = self.view.counts();
        if counts.ended() == 0 {
            return End { total: self.total, ..self.end.clone() };
        }
        let [done, changed, failed] = [counts.done, counts.changed + counts.noop, counts.failed].map(|n| n as u64);
        let [skipped, blocked] = [counts.skipped, counts.blocked].map(|n| n as u64);
        End { total: self.total, done, changed, failed, skipped, blocked, ..End::default() }
    }
}

impl Recording {
    /// Begins a new deploy, and returns it with the host that writes into its journal.
    pub fn begin(
        state: &StateFolder,
        lock: impl Into<Arc<Lock>>,
        mut begin: Begin,
        secrets: Secrets,
    ) -> Result<(Recording, Journalled), StateError> {
        let history = History::new(state);
        let last = history.last()?;
        begin.deploy = last.map_or(1, |last| last + 1);
        begin.previous = last.map(|last| history.head(last)).transpose()?.unwrap_or_default();
        begin.tag = format!("{}-{:x}", begin.deploy, std::process::id());
        let refused = |errno| HostError::journal("begin", errno);
        let blobs = Arc::new(state.blobs()?);
        blobs.tidy().map_err(refused)?;
        let journal_path = state.journal(begin.deploy);
        let journal = Arc::new(Journal::create(&journal_path).map_err(refused)?);
        let (deploy, tag) = (begin.deploy, begin.tag.clone());
        let resumes = matches!(begin.purpose, Purpose::Resume { .. });
        if let Err(errno) = journal.write(Record::Begin(begin)) {
            // A journal without a first entry would be listed as unreadable.
            let _ = std::fs::remove_file(&journal_path);
            return Err(refused(errno).into());
        }
        let host = Journalled::new(tag, Arc::clone(&journal), blobs);
        let end = Mutex::new(Progress::new());
        let (planned, secrets) = (BTreeMap::new(), Mutex::new(secrets));
        let _lock = lock.into();
        Ok((Recording { journal, deploy, journal_path, secrets, planned, end, resumes, idle: None, _lock }, host))
    }

    /// Leaves no journal if nothing changes and nothing fails, such as a message each second in `run`. A failure that
    /// repeats the previous one is only counted.
    pub fn forgetting_idle(mut self, state: &StateFolder, repeats: &Arc<Repeats>) -> Self {
        self.idle = Some((state.clone(), Arc::clone(repeats)));
        self
    }

    /// Sets the number of resources, so that a stopped deploy can report the rest.
    pub fn of_total(self, resources: usize) -> Self {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).total = Some(resources as u64);
        self
    }

    /// Sets the plan, so that steps that never ran are reported with their planned action.
    pub fn of_plan<'s>(mut self, steps: impl Iterator<Item = &'s Step>) -> Self {
        self.planned = steps.map(|step| (step.resource.clone(), (step.action, step.certainty))).collect();
        self
    }

    /// Returns the planned values that differ from the result of a step.
    fn planned(&self, resource: &ResourceId, step: Option<&Step>) -> Option<Prediction> {
        let (action, certainty) = *self.planned.get(resource)?;
        let is_more = step.is_none() || certainty != Certainty::Known;
        is_more.then(|| Prediction { action: plan_word(action), certainty: plan_word(certainty) })
    }

    /// Returns the number of the deploy.
    pub fn deploy(&self) -> u64 {
        self.deploy
    }

    /// Records an event of the run. The entry becomes durable with the next intent or at the end of all steps.
    pub fn record(&self, event: &Event) {
        let mut progress = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Turn { resource, state, step, elapsed_ms } => {
                progress.failed_end = None;
                progress.view.on_event(event);
                progress.has_run |= matches!(state, TurnState::Done | TurnState::Failed { .. });
                let (word, error) = match state {
                    TurnState::Waiting => return progress.set_failure(resource, None),
                    TurnState::Running => return,
                    TurnState::Done => ("done", None),
                    TurnState::Failed { error, .. } => ("failed", Some(error.clone())),
                    TurnState::Skipped => ("skipped", None),
                    TurnState::Blocked { by } => ("blocked", Some(format!("{by} is not done"))),
                };
                let error = error.map(|error| self.hide(&error));
                progress.set_failure(resource, error.as_deref().filter(|_| word == "failed"));
                let outcome = Outcome {
                    resource: resource.clone(),
                    state: word.into(),
                    action: step.as_ref().map(|step| plan_word(step.action)).unwrap_or_default(),
                    changes: step.iter().flat_map(|step| &step.changes).map(|change| self.change(change)).collect(),
                    note: step.as_ref().map(|step| self.hide(&step.note)).unwrap_or_default(),
                    error,
                    elapsed_ms: *elapsed_ms,
                    time: now(),
                    planned: self.planned(resource, step.as_ref()),
                };
                self.append(&mut progress, Record::Outcome(outcome));
            }
            Event::Amended { resource, changes, graph } => {
                self.learn(resource);
                let amended = Amended {
                    resource: resource.id.clone(),
                    changes: changes.iter().map(|change| self.change(change)).collect(),
                    time: now(),
                    graph: graph.clone(),
                    at: 0,
                };
                self.append(&mut progress, Record::Amended(amended));
            }
            Event::Finished { done, changed, failed, skipped, blocked } => {
                progress.has_run = true;
                let counts = [done, changed, failed, skipped, blocked].map(|count| u64::from(*count));
                let [done, changed, failed, skipped, blocked] = counts;
                let end = End { done, changed, failed, skipped, blocked, ..End::default() };
                if failed > 0 {
                    // The failed steps may be retried: a deploy has one end, and until then a kill leaves it
                    // interrupted.
                    (progress.failed_end, progress.open) = (Some(end), true);
                    // The user may wait long before the next intent. A failed commit makes the journal refuse that
                    // intent.
                    let _ = self.journal.commit(progress.written);
                } else {
                    progress.end = end;
                    self.write_end(&mut progress, Ending::Finished);
                }
            }
            Event::Paused { .. } | Event::Output { .. } | Event::TakenBack { .. } => {}
        }
    }

    fn append(&self, progress: &mut Progress, record: Record) {
        progress.open = true;
        // A journal that cannot be written refuses the next intent, which reports the failure.
        if let Ok(number) = self.journal.append(&[record]) {
            progress.written = number + 1;
        }
    }

    /// Records the result of an undo step.
    pub fn undone(&self, resource: &ResourceId, (state, action): (&str, Action), note: String, error: Option<String>) {
        let mut progress = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.undone.insert((resource.clone(), state.to_owned())) {
            progress.end.count(state, true);
        }
        let outcome = Outcome {
            resource: resource.clone(),
            state: state.into(),
            action: plan_word(action),
            changes: Vec::new(),
            note,
            error,
            elapsed_ms: 0,
            time: now(),
            planned: None,
        };
        // A journal that cannot be written refuses the next intent, which reports the failure.
        let _ = self.journal.append(&[Record::Outcome(outcome)]);
    }

    /// Sets the counts of the undo so far.
    pub fn came_to(&self, undone: Undone) {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).end.undone = Some(undone);
    }

    /// Records that the undo left a part of a resource unchanged.
    pub fn mark_incomplete(&self, resource: &ResourceId) {
        let mut progress = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.incomplete.insert(resource.clone()) {
            progress.end.unchanged += 1;
        }
    }

    /// Records that the undo is finished.
    pub fn finish(&self) {
        let mut progress = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        self.write_end(&mut progress, Ending::Finished);
    }

    /// Deletes the journal, because the deploy never began.
    pub fn forget(&self) {
        // A remaining journal counts as interrupted before its first step and needs no decision.
        let _ = std::fs::remove_file(&self.journal_path);
    }

    /// Ends the run, finished or not.
    pub fn close(&self) {
        let mut progress = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if self.resumes && !progress.has_run {
            // The deploy that this one was to resume stays interrupted.
            return self.forget();
        }
        if let Some(end) = progress.failed_end.take() {
            progress.end = end;
            self.write_end(&mut progress, Ending::Finished);
            if progress.open {
                // The deploy counts as interrupted, so it must not count as a repeated failure.
                return;
            }
        } else if progress.open {
            progress.end = progress.stopped();
            self.write_end(&mut progress, Ending::Stopped);
            if let (Some((state, repeats)), 0, 0) = (&self.idle, progress.end.changed, progress.end.failed) {
                drop(repeats.drop_stopped(state, self.deploy));
            }
            return;
        }
        let End { changed, failed, .. } = &progress.end;
        // If this fails, the list shows one more line.
        match (&self.idle, changed, failed) {
            (Some((state, _)), 0, 0) => drop(std::fs::remove_file(state.journal(self.deploy))),
            (Some((state, repeats)), 0, _) => drop(repeats.fold(state, self.deploy)),
            _ => {}
        }
    }

    fn write_end(&self, progress: &mut Progress, how: Ending) {
        let (sums, failure) = (progress.sums(), progress.failure.clone());
        let end = End { time: now(), how, sums, failure, ..progress.end.clone() };
        // Without this entry the deploy counts as interrupted, which is the safe error.
        progress.open = self.journal.write(Record::End(end)).is_err();
    }

    fn change(&self, change: &Change) -> Json {
        let mut json = change.to_json();
        hide_in(&self.secrets(), &mut json);
        json
    }

    fn hide(&self, text: &str) -> String {
        self.secrets().hide(text)
    }

    /// The graph may gain resources with new secrets during the run.
    fn learn(&self, resource: &Resource) {
        let mut secrets = self.secrets();
        secrets.learn(&resource.shown().params);
        resource.mapping().iter().for_each(|wanted| secrets.learn(&wanted.params));
    }

    fn secrets(&self) -> MutexGuard<'_, Secrets> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name of an action or a certainty in the plan's JSON.
fn plan_word(of: impl serde::Serialize) -> String {
    serde_json::to_value(of).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns the current time as text.
pub fn now() -> String {
    label(jiff::Timestamp::now())
}

/// Returns a past time as text; `None` if it is outside the calendar's range.
pub fn before(ago: Duration) -> Option<String> {
    jiff::Timestamp::now().checked_sub(ago).ok().map(label)
}

fn label(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Hides all secrets in a change, and cuts long texts.
fn hide_in(secrets: &Secrets, json: &mut Json) {
    match json {
        Json::String(text) => {
            let mut shown = secrets.hide(text);
            if shown.len() > SHOWN {
                let mut end = SHOWN;
                while !shown.is_char_boundary(end) {
                    end -= 1;
                }
                shown.truncate(end);
                shown.push('…');
            }
            *text = shown;
        }
        Json::Array(items) => items.iter_mut().for_each(|item| hide_in(secrets, item)),
        Json::Object(fields) => fields.iter_mut().for_each(|(_, value)| hide_in(secrets, value)),
        _ => {}
    }
}

/// Returns the hash of a program's graph, without secrets.
///
/// Edges and resources that are added for an apply (automatic orderings, reversals) are excluded: they depend on the
/// machine, which an interrupted deploy has changed.
pub fn graph_hash(graph: &Graph) -> String {
    let mut text = Vec::new();
    for at in (0..graph.len() as u32).map(crate::graph::NodeIndex) {
        if let Node::Resource(resource) = graph.node(at)
            && !is_reversal(resource)
            && !is_export(resource)
        {
            // Moving code does not change the hash.
            let mut json = export::resource_json(resource);
            if let Some(fields) = json.as_object_mut() {
                fields.remove("source");
            }
            text.extend(json.to_string().into_bytes());
        }
    }
    for edge in graph.edges().iter().filter(|edge| edge.reason != Reason::Auto) {
        let (from, to) = (graph.node(edge.from).id(), graph.node(edge.to).id());
        text.extend(format!("{from}>{to}:{}:{:?};", edge.notify, edge.send).into_bytes());
    }
    hex(&Sha256::digest(&text))
}
