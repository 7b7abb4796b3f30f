//! Performs an undo: operations on unrelated paths are undone together, with one wait for the disk.
//!
//! Of two operations on related paths the newer one is undone first. All others may be reordered, because neither sees
//! the effect of the other. Each operation gets the round after the last one with a related path, and a round is undone
//! at once. *Accepted* in one round: `/a/x` and `/b/y`. *Rejected*: a folder and a file in it, two operations on one
//! path, two paths that a link makes equal. Operations on packages, services and the like are undone alone, after all
//! earlier ones.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use rustix::io::Errno;

use super::{OnConflict, UndoStep, Verdict};
use crate::engine::message::{Event, UndoOutcome};
use crate::graph::ResourceId;
use crate::host::journal::{Image, Journalled, UndoAction, UndoTarget, Undone};
use crate::host::{About, HostError, LocalLook};
use crate::resource::{Aliases, clean_path};

/// The largest number of operations and of folders in a round, because each needs a file handle. Between two rounds the
/// undo reports progress and can be stopped.
const MANY: usize = 1024;
const FOLDERS: usize = 200;

impl Undone {
    fn of(&mut self, end: UndoneAs) -> &mut u64 {
        match end {
            UndoneAs::Already => &mut self.already,
            UndoneAs::Undone => &mut self.back,
            UndoneAs::Kept => &mut self.kept,
            UndoneAs::Stayed => &mut self.stayed,
            UndoneAs::Lost => &mut self.lost,
            UndoneAs::Failed => &mut self.failed,
        }
    }
}

/// The result of an operation. For a resource with several operations the last of these variants that occurred counts,
/// because the user must know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum UndoneAs {
    Already,
    Undone,
    Kept,
    Stayed,
    Lost,
    Failed,
}

impl From<&UndoOutcome> for UndoneAs {
    fn from(outcome: &UndoOutcome) -> Self {
        match outcome {
            UndoOutcome::Already => Self::Already,
            UndoOutcome::Back => Self::Undone,
            UndoOutcome::Kept => Self::Kept,
            UndoOutcome::Stayed(_) => Self::Stayed,
            UndoOutcome::Lost(_) => Self::Lost,
            UndoOutcome::Failed(_) => Self::Failed,
        }
    }
}

/// The progress of an undo, counted by operation and by resource. Questions and reports use the count of resources.
#[derive(Clone, Debug, Default)]
pub struct Undoing {
    pub operations: Undone,
    pub resources: Undone,
    ends: FxHashMap<ResourceId, UndoneAs>,
}

impl Undoing {
    /// Counts an undone operation. A resource is counted once, by the worst outcome of its operations.
    pub fn count(&mut self, resource: &ResourceId, outcome: &UndoOutcome) {
        let end = UndoneAs::from(outcome);
        *self.operations.of(end) += 1;
        match self.ends.get_mut(resource) {
            Some(known) if *known >= end => return,
            Some(known) => *self.resources.of(std::mem::replace(known, end)) -= 1,
            None => _ = self.ends.insert(resource.clone(), end),
        }
        *self.resources.of(end) += 1;
    }

    /// Returns the end of the undo as an event of a run.
    pub fn finished(&self) -> Event {
        let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let Undone { back, already, kept, stayed, lost, failed } = self.resources;
        let (done, failed) = (count(back), count(failed));
        Event::Finished { done, changed: done, failed, skipped: count(already + kept + stayed + lost), blocked: 0 }
    }
}

/// The remaining rounds of an undo.
#[derive(Debug)]
pub struct UndoRounds(VecDeque<Vec<UndoStep>>);

impl UndoRounds {
    /// Groups the steps of an undo into rounds.
    pub fn new(steps: &[UndoStep]) -> Self {
        Self(rounds(steps).into_iter().map(|round| round.into_iter().cloned().collect()).collect())
    }

    /// Returns the first step of the next round; `None` at the end.
    pub fn next(&self) -> Option<&UndoStep> {
        self.0.front()?.first()
    }

    /// Undoes one round. Returns each step with its result.
    pub fn round(&mut self, host: &Journalled, on_conflict: OnConflict) -> Vec<(UndoStep, UndoOutcome)> {
        let Some(round) = self.0.pop_front() else { return Vec::new() };
        let outcomes = match round.as_slice() {
            [only] => vec![one(only, host, on_conflict)],
            several => together(several, host),
        };
        round.into_iter().zip(outcomes).collect()
    }
}

/// Undoes all steps in order. `report` receives each result.
pub fn perform_undo(
    steps: &[UndoStep],
    host: &Journalled,
    on_conflict: OnConflict,
    report: &mut dyn FnMut(&UndoStep, &UndoOutcome),
) -> Undone {
    let mut undone = Undone::default();
    let mut work = UndoRounds::new(steps);
    while work.next().is_some() {
        for (step, outcome) in work.round(host, on_conflict) {
            *undone.of(UndoneAs::from(&outcome)) += 1;
            report(&step, &outcome);
        }
    }
    undone
}

fn one(step: &UndoStep, host: &Journalled, on_conflict: OnConflict) -> UndoOutcome {
    match &step.verdict {
        Verdict::Already => UndoOutcome::Already,
        Verdict::Lost(why) => UndoOutcome::Lost(why.clone()),
        Verdict::Conflict { back: Some(back), .. } if on_conflict == OnConflict::Restore => {
            ended(back, host.undo_overwriting(&target(step, back)))
        }
        Verdict::Conflict { .. } => UndoOutcome::Kept,
        Verdict::Stays(why) => UndoOutcome::Stayed(why.clone()),
        Verdict::Empties { back, .. } => ended(back, host.undo_overwriting(&target(step, back))),
        Verdict::Ready(back) | Verdict::Partly(back, _) => ended(back, host.undo(&target(step, back))),
    }
}

fn together(steps: &[UndoStep], host: &Journalled) -> Vec<UndoOutcome> {
    let target = |step| {
        let (_, back) = to_path(step).expect("only what was done to a path comes into a round of several");
        target(step, back)
    };
    let backs: Vec<UndoTarget> = steps.iter().map(target).collect();
    let ends = host.undo_batch(&backs);
    ends.into_iter().zip(&backs).map(|(end, target)| ended(target.back, end)).collect()
}

fn target<'s>(step: &'s UndoStep, back: &'s UndoAction) -> UndoTarget<'s> {
    let about = About { resource: &step.resource, secret: step.is_secret };
    UndoTarget { about, back, undoes: (step.deploy, step.number), planned: step.planned.as_ref() }
}

fn ended(back: &UndoAction, result: Result<(), HostError>) -> UndoOutcome {
    match (back, result) {
        (_, Ok(())) => UndoOutcome::Back,
        // Another program put something into the folder after the check.
        (UndoAction::RemoveFolder { .. }, Err(HostError::Io { errno: Errno::NOTEMPTY | Errno::EXIST, .. })) => {
            UndoOutcome::Stayed("it is no longer empty".into())
        }
        (_, Err(error)) => UndoOutcome::Failed(error.to_string()),
    }
}

/// Returns how a step is undone, and the path that this changes.
fn to_path(step: &UndoStep) -> Option<(&Path, &UndoAction)> {
    match &step.verdict {
        Verdict::Ready(back) | Verdict::Partly(back, _) => Some((back.path()?, back)),
        _ => None,
    }
}

/// Groups the steps into rounds of unrelated paths.
fn rounds(steps: &[UndoStep]) -> Vec<Vec<&UndoStep>> {
    let look = LocalLook::new(false);
    let (coming, is_plain) = links(steps);
    let mut aliases = Aliases::new(&look, coming.into_iter());
    let mut rounds = Vec::new();
    let mut open = Open::default();
    for step in steps {
        let names = to_path(step).filter(|_| is_plain).and_then(|(path, _)| aliases.all(&clean_path(path)));
        match names {
            Some(names) => open.add(step, &names),
            None => {
                rounds.append(&mut open.close());
                rounds.push(vec![step]);
            }
        }
    }
    rounds.append(&mut open.close());
    rounds
}

/// Returns the links that exist at any time during the undo, and whether each has only one target.
fn links(steps: &[UndoStep]) -> (BTreeMap<PathBuf, PathBuf>, bool) {
    let mut links = BTreeMap::new();
    let mut is_plain = true;
    for step in steps {
        if let Some((path, UndoAction::Restore { image: Image::Link { target, .. }, .. })) = to_path(step) {
            let target = clean_path(&path.parent().unwrap_or(Path::new("/")).join(target));
            let before = links.insert(clean_path(path), target.clone());
            is_plain &= before.is_none_or(|before| before == target);
        }
    }
    (links, is_plain)
}

/// The rounds that still accept steps.
#[derive(Default)]
struct Open<'s> {
    rounds: Vec<Vec<&'s UndoStep>>,
    /// The first round after all steps that touch a path.
    after: BTreeMap<PathBuf, usize>,
}

impl<'s> Open<'s> {
    fn add(&mut self, step: &'s UndoStep, names: &[PathBuf]) {
        let at = names.iter().map(|name| self.meets(name)).max().unwrap_or(0);
        if self.rounds.len() <= at {
            self.rounds.push(Vec::new());
        }
        self.rounds[at].push(step);
        for name in names {
            let after = self.after.entry(name.clone()).or_default();
            *after = (*after).max(at + 1);
        }
    }

    /// Returns the first round after all steps that touch the path, its ancestors or its descendants.
    fn meets(&self, path: &Path) -> usize {
        let above = path.ancestors().filter_map(|above| self.after.get(above));
        let below = self.after.range(path.to_path_buf()..).take_while(|(there, _)| there.starts_with(path));
        above.chain(below.map(|(_, after)| after)).copied().max().unwrap_or(0)
    }

    /// Returns all rounds, each within the size limit.
    fn close(&mut self) -> Vec<Vec<&'s UndoStep>> {
        self.after.clear();
        let mut closed = Vec::new();
        for round in self.rounds.drain(..) {
            let (mut part, mut folders) = (Vec::new(), BTreeSet::new());
            for step in round {
                let folder = to_path(step).and_then(|(path, _)| path.parent());
                if part.len() == MANY || folders.len() == FOLDERS && !folders.contains(&folder) {
                    closed.push(std::mem::take(&mut part));
                    folders.clear();
                }
                folders.insert(folder);
                part.push(step);
            }
            closed.push(part);
        }
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(path: &str) -> UndoStep {
        UndoStep {
            deploy: 1,
            number: 0,
            resource: crate::graph::ResourceId(path.into()),
            words: String::new(),
            is_secret: false,
            planned: None,
            verdict: Verdict::Ready(UndoAction::Restore { path: path.into(), image: Image::Absent }),
            is_own: false,
        }
    }

    #[test]
    fn overlapping_operations_run_in_sequence() {
        let steps: Vec<UndoStep> = ["/n/a/x", "/n/a/y", "/n/a", "/n/b", "/n/b/x", "/n/a/x", "/n/c"].map(step).into();
        let rounds: Vec<Vec<&str>> =
            rounds(&steps).iter().map(|round| round.iter().map(|step| &*step.resource.0).collect()).collect();
        assert_eq!(rounds, [vec!["/n/a/x", "/n/a/y", "/n/b", "/n/c"], vec!["/n/a", "/n/b/x"], vec!["/n/a/x"]]);
    }

    #[test]
    fn operations_without_a_path_run_alone() {
        let mut steps: Vec<UndoStep> = ["/n/a", "/n/b", "/n/c", "/n/d"].map(step).into();
        steps[2].verdict = Verdict::Ready(UndoAction::System(Vec::new()));
        let sizes: Vec<usize> = rounds(&steps).iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 1, 1]);
    }

    #[test]
    fn paths_joined_by_a_link_overlap() {
        let folder = tempfile::tempdir().expect("can be made");
        let at = |name: &str| folder.path().join(name).to_str().expect("its name is plain").to_owned();
        std::fs::create_dir(at("d")).expect("can be made");
        std::os::unix::fs::symlink("d", at("l")).expect("can be made");
        let mut steps = vec![step(&at("d/x")), step(&at("l/x"))];
        assert_eq!(rounds(&steps).len(), 2);
        // A link that the undo restores counts too. If a link has two targets, no two steps share a round.
        let link = |name: &str, target: &str| {
            let image = Image::Link { target: target.into(), uid: 0, gid: 0 };
            UndoStep { verdict: Verdict::Ready(UndoAction::Restore { path: at(name).into(), image }), ..step(name) }
        };
        steps = vec![link("m", "d"), step(&at("d/x")), step(&at("m/x"))];
        assert_eq!(rounds(&steps).len(), 3);
        steps = vec![link("m", "d"), link("m", "e"), step(&at("a")), step(&at("b"))];
        assert_eq!(rounds(&steps).len(), 4);
    }
}
