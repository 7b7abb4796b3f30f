//! Tells when what was put in place may not be as it was left, or what was planned not as it was found: what the system tells
//! of paths, and no more.
//!
//! Nothing is looked at in its own time, so that a watch sleeps until somebody touches something. Packages are under watch by the
//! files in which their managers keep what is installed; services and the like, of which only asking tells, are not, and
//! [`Drift::Watching`] says how many that leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::next_step::is_command;
use super::saved_plan::difference_words;
use super::upkeep::{Places, alone};
use super::{Session, job};
use crate::engine::takers;
use crate::graph::{Graph, ResourceId};
use crate::plan::{Action, Plan, Step, compare_steps};
use crate::world::{Cancel, Nudge, Watcher};

/// What is touched all the time is looked at no oftener.
const PACE: Duration = Duration::from_millis(250);

/// And no oftener than once in so many times of what a look takes.
const SHARE: u32 = 20;

/// How many milliseconds the times of files may lag behind, with what a watch before this one had no time to look at.
const SLACK: u64 = 1000;

/// What is told of what was put in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drift {
    /// It is under watch, as far as the system tells of it.
    Watching { watched: usize, of: usize },
    /// These are not as they should be, or were not at the last look.
    Touched(BTreeSet<ResourceId>),
}

/// A watch over what was put in place. Dropping it ends it.
#[derive(Debug)]
pub struct DriftWatch {
    is_over: Arc<AtomicBool>,
    nudge: Nudge,
}

impl Drop for DriftWatch {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.nudge.nudge();
    }
}

/// The time of day, in milliseconds since 1970.
pub fn now() -> u64 {
    Watcher::now()
}

/// What a plan says that is found otherwise now: each resource, and in words how.
pub type Outdated = BTreeMap<ResourceId, String>;

impl Session {
    /// Watches what a graph describes; `tell` is called from a thread of its own. Nothing is changed.
    pub fn watch_drift(&self, graph: Arc<Graph>, tell: impl Fn(Drift) + Send + 'static) -> DriftWatch {
        self.watch_graph(graph.clone(), move |session, watcher, places, over| {
            let (watched, of) = (places.told_of(), takers(&graph).count());
            tell(Drift::Watching { watched, of });
            let mut differ: BTreeSet<ResourceId> = BTreeSet::new();
            each_touch(session, watcher, places, over, BTreeSet::new(), move |near| {
                let plan = session.preview(&alone(&graph, &near), &Cancel::default(), &mut |_| ());
                let now = not_right(&plan);
                let is_told = |id: &&ResourceId| now.contains(*id) || differ.contains(*id);
                let told: BTreeSet<_> = near.iter().filter(is_told).cloned().collect();
                differ.retain(|id| !near.contains(id));
                differ.extend(near.into_iter().filter(|id| now.contains(id)));
                if !told.is_empty() {
                    tell(Drift::Touched(told));
                }
            });
        })
    }

    /// Watches what a plan was made of; `tell` is called from a thread of its own with all that does not hold any more, each
    /// time that this is something else. The looks of the plan began at `since`, in milliseconds since 1970: what was changed
    /// while they were at work is found too.
    pub fn watch_plan(
        &self,
        graph: Arc<Graph>,
        plan: Arc<Plan>,
        since: u64,
        tell: impl Fn(Outdated) + Send + 'static,
    ) -> DriftWatch {
        self.watch_graph(graph.clone(), move |session, watcher, places, over| {
            let mut outdated = Outdated::new();
            let meanwhile = watcher.touched_since(since.saturating_sub(SLACK));
            each_touch(session, watcher, places, over, meanwhile, move |near| {
                let wanted = near.into_iter().chain(outdated.keys().cloned()).collect();
                let (now, _) = session.look_again(&graph, &plan, &wanted, &Cancel::default(), &mut |_| ());
                let found = otherwise(&plan, &now);
                if found != outdated {
                    outdated.clone_from(&found);
                    tell(found);
                }
            });
        })
    }

    /// Watches what a graph describes, on a thread of its own that does the rest.
    fn watch_graph(
        &self,
        graph: Arc<Graph>,
        work: impl FnOnce(&Session, &mut Watcher, &Places, &AtomicBool) + Send + 'static,
    ) -> DriftWatch {
        let (mut watcher, nudge) = Watcher::patient();
        let is_over = Arc::new(AtomicBool::new(false));
        let (session, over) = (self.again(), Arc::clone(&is_over));
        thread::spawn(move || {
            let places = Places::of_graph(&session, &graph);
            watcher.watch_with_trees(&*session.world, [], places.paths(), places.trees());
            work(&session, &mut watcher, &places, &over);
        });
        DriftWatch { is_over, nudge }
    }
}

/// Hands on the resources that are touched, beginning with what was by now, until the watch is over.
fn each_touch(
    session: &Session,
    watcher: &mut Watcher,
    places: &Places,
    over: &AtomicBool,
    mut touched: BTreeSet<PathBuf>,
    mut work: impl FnMut(BTreeSet<ResourceId>) + Send,
) {
    while !over.load(Ordering::SeqCst) {
        let near = places.near(&touched);
        if !near.is_empty() {
            let begin = Instant::now();
            // A bug there ends the watch and nothing else.
            if job::run(|| work(near)).is_err() {
                return;
            }
            // What is touched without end, and takes long to look at, takes a small part of one core all the same.
            thread::sleep(PACE.max(begin.elapsed() * SHARE));
        }
        touched = watcher.wait(&*session.world, None, &|| !over.load(Ordering::SeqCst)).touched;
    }
}

/// The steps that are not as a plan has them.
fn otherwise(plan: &Plan, now: &Plan) -> Outdated {
    let found: BTreeMap<_, _> = now.steps.iter().map(|step| (&step.resource, step)).collect();
    let differs = |step: &Step| {
        let now = found.get(&step.resource)?;
        Some((step.resource.clone(), difference(step, now)?))
    };
    plan.steps.iter().filter_map(differs).collect()
}

fn difference(expected: &Step, found: &Step) -> Option<String> {
    if let Some(words) = runs_otherwise(expected, found) {
        return Some(words.into());
    }
    let mut moved = Vec::new();
    compare_steps(expected, found, &mut moved);
    if let Some(first) = moved.first() {
        return Some(difference_words(first));
    }
    match (&expected.error, &found.error) {
        (None, Some(why)) => Some(format!("would fail: {why}")),
        (Some(_), None) => Some("would no longer fail".into()),
        // What is secret is compared too, and not told.
        _ => (expected.changes != found.changes).then(|| "its current content changed".into()),
    }
}

/// That a command is to run no more, or only now: its parameters are as they were, and what its guards look at is not.
fn runs_otherwise(expected: &Step, found: &Step) -> Option<&'static str> {
    let is_well = expected.error.is_none() && found.error.is_none();
    if !is_well || !(is_command(expected) || is_command(found)) {
        return None;
    }
    match (expected.action, found.action) {
        (Action::Run, Action::None) => Some("would run before, now unchanged"),
        (Action::Unknown, Action::None) => Some("could run before, now unchanged"),
        (Action::None, Action::Run) => Some("was unchanged, would run now"),
        (Action::None, Action::Unknown) => Some("was unchanged, could run now (depends on its guard)"),
        _ => None,
    }
}

fn not_right(plan: &Plan) -> BTreeSet<ResourceId> {
    let is_right = |step: &&Step| step.action == Action::None && step.error.is_none();
    plan.steps.iter().filter(|step| !is_right(step)).map(|step| step.resource.clone()).collect()
}
