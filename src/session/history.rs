//! The history for faces: deploys listed, shown and compared, taken back and gone on with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::applier::{enter, who};
use super::attach::Work;
use super::{ApplyError, Keeping, RunOptions, Session, Stepper, state_path};
use crate::deploy::{
    History, Lock, Recording, Recovered, StateFolder, owed, perform_undo, plan_undo, recover, restoring_cut_off,
};
use crate::engine::message::Event;
use crate::graph::{Graph, ResourceId};
use crate::host::journal::{Content, Image};
use crate::plan::Change;

pub use crate::deploy::{
    Deploy, Found, Holder, OnConflict, Pruned, StateError, Step as DeedStep, Summary, UndoOutcome, UndoStep, Undone,
    Verdict, change_words, ending_words, graph_hash, outcome_words, purpose_words, undone_words,
};
pub use crate::host::journal::{Begin, End, Ending, Module, Outcome, Purpose, Settled};

/// All deploys, newest first.
pub fn deploys(state: Option<&PathBuf>) -> Result<Vec<Summary>, StateError> {
    let history = History::new(&StateFolder::at(&state_path(state)?));
    history.numbers()?.into_iter().rev().map(|deploy| history.summary(deploy)).collect()
}

/// What the clock said so long ago, as journals write it.
pub fn time_before(ago: Duration) -> Option<String> {
    crate::deploy::before(ago)
}

/// One deploy whole; the newest where none is named.
pub fn deploy(state: Option<&PathBuf>, deploy: Option<u64>) -> Result<Deploy, StateError> {
    let history = History::new(&StateFolder::at(&state_path(state)?));
    let newest = || history.last()?.ok_or(StateError::Empty);
    history.read(deploy.map_or_else(newest, Ok)?)
}

/// Walks the whole chain; the first bad place is the error.
pub fn verify(state: Option<&PathBuf>) -> Result<(), StateError> {
    History::new(&StateFolder::at(&state_path(state)?)).verify()
}

/// What two deploys did to one resource, where that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub resource: ResourceId,
    pub one: Option<Outcome>,
    pub other: Option<Outcome>,
}

/// The resources with which two deploys did not do the same.
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

/// The deploys that [`prune`] would forget, oldest first.
pub fn prunable(state: Option<&PathBuf>, keep: usize) -> Result<Vec<u64>, StateError> {
    crate::deploy::prunable(&History::new(&StateFolder::at(&state_path(state)?)), keep)
}

/// Forgets all but the newest deploys, for good. `told` hears whom it waits for.
pub fn prune(keeping: &Keeping, keep: usize, told: &mut dyn FnMut(&Holder)) -> Result<Pruned, ApplyError> {
    let (state, _lock) = enter(keeping, "deploy prune", told)?;
    Ok(crate::deploy::prune(&state, keep)?)
}

/// From what somebody else made to what was there before, newest deed first.
pub type Differences = Vec<(ResourceId, Vec<Change>)>;

/// What restoring would change for the deeds of a deploy that was cut off, where somebody else has been since.
pub fn restoring(state: Option<&PathBuf>, found: &[Found]) -> Result<Differences, StateError> {
    let Some(cut) = unfinished(state)? else { return Ok(Vec::new()) };
    let blobs = StateFolder::at(&state_path(state)?).blobs()?;
    let is_found = |resource: &ResourceId| {
        found.iter().any(|found| found.resource == *resource && found.settled == Settled::Neither)
    };
    let steps: Vec<_> = cut.open_steps().filter(|step| is_found(&step.intent.resource)).collect();
    steps.into_iter().rev().map(|step| Ok((step.intent.resource.clone(), restoring_cut_off(step, &blobs)?))).collect()
}

/// An undo that is planned and not begun. It holds the lock.
pub struct Undo {
    state: StateFolder,
    lock: Lock,
    pub deploy: u64,
    pub steps: Vec<UndoStep>,
}

/// What comes before an undo or a resume can begin.
pub enum Ready<T> {
    Yes(T),
    /// Somebody else changed what a cut-off deed was about; nothing was done.
    Conflict(Vec<Found>),
}

impl Undo {
    /// Settles the deploy where it was cut off, and plans how it is taken back; the newest that counts where none is named.
    pub fn plan(
        keeping: &Keeping,
        deploy: Option<u64>,
        on_conflict: OnConflict,
        told: &mut dyn FnMut(&Holder),
    ) -> Result<Ready<Undo>, ApplyError> {
        let (state, lock) = enter(keeping, "deploy undo", told)?;
        let history = History::new(&state);
        // What restoring would put back is a step of the undo, which can be taken back itself.
        let settles = if on_conflict == OnConflict::Stop { OnConflict::Stop } else { OnConflict::Keep };
        if let Some(cut) = history.unfinished()?
            && let Some(found) = settle(&state, cut, settles)?
        {
            return Ok(Ready::Conflict(found));
        }
        let deploy = match deploy {
            Some(deploy) => deploy,
            None => newest_standing(&history)?.ok_or(StateError::Empty)?,
        };
        let mut chain = vec![history.read(deploy)?];
        // One that went on with another is one piece of work with it.
        while let Some(Purpose::Resume { deploy }) = chain.last().map(|last| last.begin.purpose.clone()) {
            chain.push(history.read(deploy)?);
        }
        let steps = plan_undo(&chain, &state.blobs()?)?;
        Ok(Ready::Yes(Undo { state, lock, deploy, steps }))
    }

    /// Whether somebody else changed something that would be taken back.
    pub fn conflicts(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.verdict, Verdict::Conflict { .. })).count()
    }

    /// What restoring would change where somebody else was.
    pub fn restoring(&self) -> Result<Differences, StateError> {
        let blobs = self.state.blobs()?;
        let in_conflict = self.steps.iter().filter(|step| matches!(step.verdict, Verdict::Conflict { .. }));
        in_conflict.map(|step| Ok((step.resource.clone(), crate::deploy::restoring(step, &blobs)?))).collect()
    }

    /// Takes back what can be. Gives the number of the deploy that did it.
    pub fn perform(
        self,
        on_conflict: OnConflict,
        tell: &mut dyn FnMut(&UndoStep, &UndoOutcome),
    ) -> Result<(u64, Undone), ApplyError> {
        let purpose = Purpose::Undo { deploy: self.deploy };
        let begin = Begin { entry: format!("deploy {}", self.deploy), purpose, ..who() };
        let (recording, host) = Recording::begin(&self.state, self.lock, begin, Default::default())?;
        let undone = perform_undo(&self.steps, &host, on_conflict, &mut |step, outcome| {
            let (state, note, error) = match outcome {
                UndoOutcome::Back => ("done", step.words.clone(), None),
                UndoOutcome::Already => ("skipped", "was as before already".into(), None),
                UndoOutcome::Kept => ("skipped", "was left as somebody else made it".into(), None),
                UndoOutcome::Stayed(why) => ("skipped", format!("was left: {why}"), None),
                UndoOutcome::Lost(why) => ("skipped", format!("cannot be taken back: {why}"), None),
                UndoOutcome::Failed(error) => ("failed", step.words.clone(), Some(error.clone())),
            };
            recording.undone(&step.resource, state, note, error);
            tell(step, outcome);
        });
        recording.finish();
        Ok((recording.deploy(), undone))
    }
}

/// The newest deploy that applied something and was not taken back since.
fn newest_standing(history: &History) -> Result<Option<u64>, StateError> {
    let mut gone = BTreeSet::new();
    for deploy in history.numbers()?.into_iter().rev() {
        let summary = history.summary(deploy)?;
        let Some(begin) = summary.begin else { continue };
        match begin.purpose {
            _ if gone.contains(&deploy) => {
                // What an undo that was itself taken back took back stands again; what it went on with went with it.
                if let Purpose::Resume { deploy } = begin.purpose {
                    gone.insert(deploy);
                }
            }
            // One that was cut off is gone on with by taking back what it left.
            Purpose::Undo { .. } if summary.end.is_none_or(|end| end.how == Ending::CutOff) => {}
            Purpose::Undo { deploy } => drop(gone.insert(deploy)),
            Purpose::Apply | Purpose::Resume { .. } => return Ok(Some(deploy)),
        }
    }
    Ok(None)
}

/// Settles a deploy that was cut off. What is in conflict is given back, and nothing was done then.
fn settle(state: &StateFolder, deploy: u64, on_conflict: OnConflict) -> Result<Option<Vec<Found>>, ApplyError> {
    match recover(state, deploy, on_conflict) {
        Ok(Recovered { settled: true, .. }) | Err(StateError::NoDeploy(_)) => Ok(None),
        Ok(Recovered { found, .. }) => Ok(Some(found)),
        Err(error) => Err(error.into()),
    }
}

/// The newest deploy where it was cut off after it had begun something, and nobody is at work on it.
pub fn cut_off(state: Option<&PathBuf>) -> Result<Option<Deploy>, ApplyError> {
    let Some(cut) = unfinished(state)?.filter(|cut| !cut.steps.is_empty()) else { return Ok(None) };
    match enter(&Keeping { state: state.cloned(), ..Keeping::default() }, "looks back", &mut |_| ()) {
        Ok(_) => Ok(Some(cut)),
        Err(ApplyError::Held(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The deploy that was cut off, or the named one, for going on with it.
pub fn unfinished(state: Option<&PathBuf>) -> Result<Option<Deploy>, StateError> {
    let history = History::new(&StateFolder::at(&state_path(state)?));
    history.unfinished()?.map(|deploy| history.read(deploy)).transpose()
}

impl Session {
    /// Goes on with a deploy that was cut off: settles it, then applies the graph with the refreshes that are owed.
    ///
    /// What was done is found right by its check and passed over, so the end is as if nothing had happened.
    pub fn resume(
        &self,
        graph: Arc<Graph>,
        deploy: u64,
        on_conflict: OnConflict,
        keeping: &Keeping,
        told: &mut dyn FnMut(&Holder),
    ) -> Result<Ready<(Stepper, Receiver<Event>)>, ApplyError> {
        self.begin(graph, Work::Resume { deploy, on_conflict }, RunOptions::default(), keeping, told)
    }
}

/// Settles a deploy that was cut off, so that it can be gone on with. Gives the refreshes that are owed.
pub(super) fn settle_for_more(
    state: &StateFolder,
    deploy: u64,
    on_conflict: OnConflict,
    graph: &Graph,
) -> Result<Ready<BTreeSet<ResourceId>>, ApplyError> {
    let recovered = recover(state, deploy, on_conflict)?;
    if !recovered.settled {
        return Ok(Ready::Conflict(recovered.found));
    }
    let history = History::new(state);
    let (mut changed, mut ended) = (BTreeSet::new(), BTreeSet::new());
    let mut at = Some(recovered.deploy);
    while let Some(deploy) = at {
        changed.extend(changed_by(&deploy));
        let done = deploy.outcomes.iter().filter(|outcome| outcome.state == "done");
        ended.extend(done.map(|outcome| outcome.resource.clone()));
        at = match deploy.begin.purpose {
            Purpose::Resume { deploy } => Some(history.read(deploy)?),
            _ => None,
        };
    }
    Ok(Ready::Yes(owed(graph, &changed, &ended)))
}

/// The resources that a deploy changed, whether their turns came to an end or not.
fn changed_by(deploy: &Deploy) -> impl Iterator<Item = ResourceId> {
    deploy.steps.iter().filter(|step| step.was_done()).map(|step| step.intent.resource.clone())
}

/// What lay at a path after a step, in words.
pub fn image_words(image: &Image) -> String {
    match image {
        Image::File { content, attributes, .. } => match content {
            Content::Kept(digest) | Content::Hashed(digest) => {
                format!("a file of {} bytes, mode {:04o}", digest.size, attributes.mode)
            }
            _ => format!("a file, mode {:04o}", attributes.mode),
        },
        Image::Dir { attributes, .. } => format!("a folder, mode {:04o}", attributes.mode),
        Image::Link { target, .. } => format!("a link to {}", target.display()),
        other => other.words().to_owned(),
    }
}
