//! The history for faces: deploys listed, shown and compared.

#[allow(clippy::disallowed_methods, reason = "compares the entries of deploys by their paths")]
pub mod against;
pub(super) mod at_hand;
pub mod operations;
pub mod ends;
pub(super) mod saved_plan;
pub(super) mod watch;
pub(super) mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::deploy::{History, Recovered, Since, StateFolder, plan_undo_since, recover, restoring_cut_off};
use crate::graph::ResourceId;
use crate::plan::Change;
use crate::session::keeping::enter;
use crate::session::{ApplyError, Keeping, state_path};
use crate::world::Cancel;

pub use crate::deploy::{
    Deploy, Finding, Holder, Holding, OnConflict, Pruned, StateError, Step as LoggedStep, Summary, UndoStep,
    UndoSummary, Undoing, Undone, UndoneBy, Verdict, already_undone_words, amended_words, applied_words, change_words,
    ending_words, entry_words, graph_hash, outcome_time, outcome_words, place_words, purpose_words, resources,
    short_entry, status_words, tries, undone_by_words, undone_deploys, undone_words, unfinished_words, what_words,
};
pub use crate::engine::message::UndoOutcome;
pub use crate::host::journal::{
    Amended, Begin, Completion, End, Ending, Failure, Module, Outcome, Prediction, Purpose, Sums,
};
pub use words::image_words;

/// Returns all deploys, newest first.
pub fn deploys(state: Option<&PathBuf>) -> Result<Vec<Summary>, StateError> {
    newest_first(state)?.collect()
}

/// Returns the number of the newest deploy, if there is one and the history is readable.
pub fn last(state: Option<&PathBuf>) -> Option<u64> {
    History::new(&StateFolder::at(&state_path(state).ok()?)).last().ok()?
}

/// Returns all deploys as [`deploys`] does, each read on demand.
pub fn newest_first(
    state: Option<&PathBuf>,
) -> Result<impl Iterator<Item = Result<Summary, StateError>> + use<>, StateError> {
    let history = History::new(&StateFolder::at(&state_path(state)?));
    Ok(history.numbers()?.into_iter().rev().map(move |deploy| history.summary(deploy)))
}

/// Returns the deploys that applied something and were not undone, each read on demand.
pub fn in_effect(
    state: Option<&PathBuf>,
) -> Result<impl Iterator<Item = Result<Summary, StateError>> + use<>, StateError> {
    History::new(&StateFolder::at(&state_path(state)?)).applied()
}

/// Checks that the folder of the history belongs to this user. A folder of another user is read-only for this one.
pub fn check_owner(state: Option<&PathBuf>) -> Result<(), StateError> {
    StateFolder::at(&state_path(state)?).check_owner()
}

/// Whether an applier is working on the newest deploy; `None` if unknown.
pub fn at_work(state: Option<&PathBuf>) -> Option<bool> {
    crate::deploy::is_held(&StateFolder::at(&state_path(state).ok()?).lock())
}

/// Returns a past time in the format of journals.
pub fn time_before(ago: Duration) -> Option<String> {
    crate::deploy::before(ago)
}

/// Returns one complete deploy, by default the newest.
pub fn deploy(state: Option<&PathBuf>, deploy: Option<u64>) -> Result<Deploy, StateError> {
    let history = History::new(&StateFolder::at(&state_path(state)?));
    let newest = || history.last()?.ok_or(StateError::Empty);
    history.read(deploy.map_or_else(newest, Ok)?)
}

/// Returns the steps of an undo in the machine's present state, newest operation first, for display. Nothing is
/// recovered and no lock is taken. [`take_back`](crate::session::attach::undo::take_back) plans again under the lock, and does only that.
pub fn foresee_undo(state: Option<&PathBuf>, deploy: u64) -> Result<Vec<UndoStep>, StateError> {
    let state = StateFolder::at(&state_path(state)?);
    let history = History::new(&state);
    let chain = history.read_chain(deploy)?;
    plan_undo_since(&chain, &Since::of(&history, deploy)?, &state.blobs()?, Holding::Stays, &Cancel::default())
}

/// Returns a complete deploy as JSON.
pub fn as_json(deploy: &Deploy) -> Json {
    let step = |step: &LoggedStep| {
        json!({
            "step": step.number, "intent": step.intent, "what": step.intent.operation.words(), "after": step.after,
            "error": step.error, "settled": step.completion, "open": step.is_open(),
        })
    };
    let mut all = json!({
        "begin": deploy.begin.shown(),
        "outcomes": deploy.outcomes,
        "deeds": deploy.steps.iter().map(step).collect::<Vec<_>>(),
        "end": deploy.end,
        "fault": deploy.damage(),
    });
    if let (false, Some(all)) = (deploy.amended.is_empty(), all.as_object_mut()) {
        all.insert("amended".into(), json!(deploy.amended));
    }
    all
}

/// Verifies the whole chain. The error is the first bad place.
pub fn verify(state: Option<&PathBuf>) -> Result<(), StateError> {
    History::new(&StateFolder::at(&state_path(state)?)).verify()
}

/// The different effects of two deploys on one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub resource: ResourceId,
    pub one: Option<Outcome>,
    pub other: Option<Outcome>,
}

/// Returns the resources on which two deploys had different effects.
pub fn differences(one: &Deploy, other: &Deploy) -> Vec<Difference> {
    let last = |deploy: &Deploy| -> BTreeMap<ResourceId, Outcome> {
        deploy.outcomes.iter().map(|outcome| (outcome.resource.clone(), outcome.clone())).collect()
    };
    let (mut ones, mut others) = (last(one), last(other));
    let ids: BTreeSet<ResourceId> = ones.keys().chain(others.keys()).cloned().collect();
    let did = |outcome: &Option<Outcome>| {
        outcome.as_ref().map(|outcome| (outcome.state.clone(), outcome.action.clone(), outcome.changes.clone()))
    };
    ids.into_iter()
        .map(|resource| Difference { one: ones.remove(&resource), other: others.remove(&resource), resource })
        .filter(|difference| did(&difference.one) != did(&difference.other))
        .collect()
}

/// Returns the deploys that [`prune`] would delete, oldest first.
pub fn prunable(state: Option<&PathBuf>, keep: usize) -> Result<Vec<u64>, StateError> {
    crate::deploy::prunable(&History::new(&StateFolder::at(&state_path(state)?)), keep)
}

/// Deletes all but the newest deploys. `on_wait` receives the holder of the lock during a wait.
pub fn prune(keeping: &Keeping, keep: usize, on_wait: &mut dyn FnMut(&Holder)) -> Result<Pruned, ApplyError> {
    let (state, _lock) = enter(keeping, "deploy prune", on_wait)?;
    Ok(crate::deploy::prune(&state, keep)?)
}

/// From another program's change to the state before, newest operation first.
pub type Differences = Vec<(ResourceId, Vec<Change>)>;

/// Returns what restoring would change for the operations of an interrupted deploy that another program changed.
pub fn restoring(state: Option<&PathBuf>, found: &[Finding]) -> Result<Differences, StateError> {
    let Some(cut) = unfinished(state)? else { return Ok(Vec::new()) };
    let blobs = StateFolder::at(&state_path(state)?).blobs()?;
    let is_found = |resource: &ResourceId| {
        found.iter().any(|found| found.resource == *resource && found.completion == Completion::Neither)
    };
    let steps: Vec<_> = cut.open_steps().filter(|step| is_found(&step.intent.resource)).collect();
    steps.into_iter().rev().map(|step| Ok((step.intent.resource.clone(), restoring_cut_off(step, &blobs)?))).collect()
}

/// The preparation of an undo or a resume.
pub enum Ready<T> {
    Yes(T),
    /// Another program changed the target of an interrupted operation. Nothing was done.
    Conflict(Vec<Finding>),
}

impl<T> Ready<T> {
    pub(in crate::session) fn map<U>(self, map: impl FnOnce(T) -> U) -> Ready<U> {
        match self {
            Ready::Yes(it) => Ready::Yes(map(it)),
            Ready::Conflict(found) => Ready::Conflict(found),
        }
    }
}

/// Recovers an interrupted deploy. Returns its conflicts, if any. Then nothing was done.
pub(in crate::session) fn recover_cut_off(
    state: &StateFolder,
    deploy: u64,
    on_conflict: OnConflict,
) -> Result<Option<Vec<Finding>>, ApplyError> {
    match recover(state, deploy, on_conflict) {
        Ok(Recovered { is_closed: true, .. }) | Err(StateError::NoDeploy(_)) => Ok(None),
        Ok(Recovered { found, .. }) => Ok(Some(found)),
        Err(error) => Err(error.into()),
    }
}

/// Whether an applier is working on the newest deploy. Takes the lock for a moment if [`at_work`] cannot decide.
pub fn is_at_work(state: Option<&PathBuf>) -> Result<bool, ApplyError> {
    if let Some(is_held) = at_work(state) {
        return Ok(is_held);
    }
    match enter(&Keeping { state: state.cloned(), ..Keeping::default() }, "looks back", &mut |_| ()) {
        Ok(_) => Ok(false),
        Err(ApplyError::Held(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Returns the newest deploy if it was interrupted after it began something, and no applier works on it.
pub fn cut_off(state: Option<&PathBuf>) -> Result<Option<Deploy>, ApplyError> {
    cut_off_unless(state, || is_at_work(state))
}

/// The same, with the caller's function that finds a running applier.
pub fn cut_off_unless<E: From<StateError>>(
    state: Option<&PathBuf>,
    at_work: impl FnOnce() -> Result<bool, E>,
) -> Result<Option<Deploy>, E> {
    let has_begun = |cut: &Deploy| !cut.steps.is_empty();
    let Some(cut) = unfinished(state)?.filter(has_begun) else { return Ok(None) };
    StateFolder::at(&state_path(state)?).check_owner()?;
    if at_work()? {
        return Ok(None);
    }
    // The applier may have ended the deploy since it was read.
    Ok(unfinished(state)?.filter(|now| now.begin.deploy == cut.begin.deploy))
}

/// Returns the interrupted or the named deploy, for resuming it.
pub fn unfinished(state: Option<&PathBuf>) -> Result<Option<Deploy>, StateError> {
    let history = History::new(&StateFolder::at(&state_path(state)?));
    history.unfinished()?.map(|deploy| history.read(deploy)).transpose()
}

/// What the user must know of an interrupted deploy before resuming it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CutOff {
    pub begin: Begin,
    /// The interrupted commands with unknown results: the resource, and the command as text.
    pub commands: Vec<(ResourceId, String)>,
    /// The resources whose commands succeeded.
    #[serde(default)]
    pub ran: Vec<ResourceId>,
}

/// Returns the resources whose commands a deploy ran successfully.
pub fn ran(deploy: &Deploy) -> Vec<ResourceId> {
    // The last outcome of each resource counts.
    let ends: BTreeMap<_, _> = deploy.outcomes.iter().map(|outcome| (&outcome.resource, &*outcome.state)).collect();
    let steps =
        deploy.steps.iter().filter(|step| step.intent.operation.is_command() && step.was_done() && !step.is_open());
    let ran: BTreeSet<&ResourceId> = steps.map(|step| &step.intent.resource).collect();
    ran.into_iter().filter(|id| ends.get(id) != Some(&"failed")).cloned().collect()
}

impl CutOff {
    pub(in crate::session) fn of(cut: &Deploy) -> Self {
        // An earlier recovery could not decide either.
        let is_unknown = |step: &&LoggedStep| step.is_open() || step.completion == Some(Completion::Unknown);
        let commands = cut.steps.iter().filter(is_unknown).filter(|step| step.intent.operation.path().is_none());
        CutOff {
            begin: Begin { graph: cut.graph().to_owned(), ..cut.begin.clone() },
            commands: commands.map(|step| (step.intent.resource.clone(), step.intent.operation.words())).collect(),
            ran: ran(cut),
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::Mode;

    use super::*;
    use crate::host::journal::{Image, Intent, Journal, LoggedOperation, Record};

    /// The check for an applier comes after the deploy is read, so the applier may have ended it by then.
    #[test]
    fn a_deploy_that_ends_during_inspection_is_not_interrupted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state");
        let state = StateFolder::open(&path).expect("a folder for state");
        rustix::fs::mkdir(state.deploys(), Mode::RWXU).ok();
        let journal = Journal::create(&state.journal(1)).expect("a journal");
        let operation = LoggedOperation::SetMode { path: folder.path().join("at"), mode: 0o600 };
        let resource = ResourceId("file[at]".into());
        for record in [
            Record::Begin(Begin { deploy: 1, ..Begin::default() }),
            Record::Intent(Intent { resource, operation, before: Image::Absent, undoes: None }),
        ] {
            journal.write(record).expect("it is written");
        }
        let look = |at_work: &dyn Fn() -> bool| cut_off_unless::<StateError>(Some(&path), || Ok(at_work()));
        assert!(look(&|| true).expect("it is read").is_none());
        assert_eq!(look(&|| false).expect("it is read").map(|cut| cut.begin.deploy), Some(1));
        let ends = || {
            journal.write(Record::End(End::default())).expect("it is written");
            false
        };
        assert!(look(&ends).expect("it is read").is_none());
    }
}
