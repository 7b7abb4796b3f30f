//! Watches applied resources for drift, and planned ones for changes, by the system's file notifications.
//!
//! The watch never polls, so it sleeps until a file changes. Packages are watched through their manager's database
//! files. Services and the like send no notifications and are not watched. [`Drift::Watching`] has the number of
//! watched resources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::takers;
use crate::graph::{Graph, ResourceId};
use crate::plan::{Action, Plan, Step, compare_steps};
use crate::session::history::words::difference_words;
use crate::session::next_step::is_command;
use crate::session::upkeep::{Places, alone};
use crate::session::{Session, job};
use crate::world::{Cancel, Nudge, Watcher};

/// The shortest interval between checks.
const PACE: Duration = Duration::from_millis(250);

/// Checks may take at most one part in this many of the time.
const SHARE: u32 = 20;

/// The tolerance for file times in milliseconds. It also covers the changes that an earlier watch had no time to check.
const SLACK: u64 = 1000;

/// An event of a drift watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drift {
    /// The number of watched resources.
    Watching { watched: usize, of: usize },
    /// These resources drifted, or had drifted at the last check.
    Touched(BTreeSet<ResourceId>),
}

/// A drift watch. Dropping it ends it.
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

/// The current time, in milliseconds since 1970.
pub fn now() -> u64 {
    Watcher::now()
}

/// The resources that no longer match a plan, with the differences as text.
pub type Outdated = BTreeMap<ResourceId, String>;

impl Session {
    /// Watches the resources of a graph; `report` runs on another thread. Changes nothing.
    pub fn watch_drift(&self, graph: Arc<Graph>, report: impl Fn(Drift) + Send + 'static) -> DriftWatch {
        self.watch_graph(graph.clone(), move |session, watcher, places, over| {
            let (watched, of) = (places.watched_count(), takers(&graph).count());
            report(Drift::Watching { watched, of });
            let mut differ: BTreeSet<ResourceId> = BTreeSet::new();
            each_touch(session, watcher, places, over, BTreeSet::new(), move |near| {
                let plan = session.preview(&alone(&graph, &near), &Cancel::default(), &mut |_| ());
                let now = not_right(&plan);
                let is_reported = |id: &&ResourceId| now.contains(*id) || differ.contains(*id);
                let reported: BTreeSet<_> = near.iter().filter(is_reported).cloned().collect();
                differ.retain(|id| !near.contains(id));
                differ.extend(near.into_iter().filter(|id| now.contains(id)));
                if !reported.is_empty() {
                    report(Drift::Touched(reported));
                }
            });
        })
    }

    /// Watches the basis of a plan; `report` runs on another thread with all resources that no longer match, whenever
    /// that set changes. `since` is the start of the plan's checks, in milliseconds since 1970: a change during the
    /// checks is found too.
    pub fn watch_plan(
        &self,
        graph: Arc<Graph>,
        plan: Arc<Plan>,
        since: u64,
        report: impl Fn(Outdated) + Send + 'static,
    ) -> DriftWatch {
        self.watch_graph(graph.clone(), move |session, watcher, places, over| {
            let mut outdated = Outdated::new();
            let meanwhile = watcher.touched_since(since.saturating_sub(SLACK));
            each_touch(session, watcher, places, over, meanwhile, move |near| {
                let wanted = near.into_iter().chain(outdated.keys().cloned()).collect();
                let (now, _) = session.look_again(&graph, &plan, &wanted, &Cancel::default(), &mut |_| ());
                let found = find_outdated(&plan, &now);
                if found != outdated {
                    outdated.clone_from(&found);
                    report(found);
                }
            });
        })
    }

    /// Watches the resources of a graph. The thread also runs `work`.
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

/// Passes on the touched resources, starting with the changes so far, until the watch ends.
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
            // A panic there ends the watch and nothing else.
            if job::run(|| work(near)).is_err() {
                return;
            }
            // Constant changes with slow checks use only a small part of one core.
            thread::sleep(PACE.max(begin.elapsed() * SHARE));
        }
        touched = watcher.wait(&*session.world, None, &|| !over.load(Ordering::SeqCst)).touched;
    }
}

/// Returns the steps that differ from a plan.
fn find_outdated(plan: &Plan, now: &Plan) -> Outdated {
    let found: BTreeMap<_, _> = now.steps.iter().map(|step| (&step.resource, step)).collect();
    let differs = |step: &Step| {
        let now = found.get(&step.resource)?;
        Some((step.resource.clone(), difference(step, now)?))
    };
    plan.steps.iter().filter_map(differs).collect()
}

fn difference(expected: &Step, found: &Step) -> Option<String> {
    if let Some(words) = run_differs(expected, found) {
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
        // Secrets are compared and not shown.
        _ => (expected.changes != found.changes).then(|| "its current content changed".into()),
    }
}

/// Describes a command that must no longer run, or only now: its parameters are equal, and the state behind its guards
/// is not.
fn run_differs(expected: &Step, found: &Step) -> Option<&'static str> {
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
