//! Tells when what was put in place may not be as it was left: what the system tells of paths, and no more.
//!
//! Nothing is looked at in its own time, so that a watch sleeps until somebody touches something; services, packages and the
//! like, of which only asking tells, are not under watch, and [`Drift::Watching`] says how many that leaves.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{Session, Upkeep, job};
use crate::graph::{Graph, ResourceId};
use crate::plan::{Action, Plan, Step};
use crate::world::{Cancel, Nudge, Watcher};

/// What is touched all the time is looked at no oftener.
const PACE: Duration = Duration::from_millis(250);

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

impl Session {
    /// Watches what a graph describes; `tell` is called from a thread of its own. Nothing is changed.
    pub fn watch_drift(&self, graph: Arc<Graph>, tell: impl Fn(Drift) + Send + 'static) -> DriftWatch {
        let (watcher, nudge) = Watcher::patient();
        let is_over = Arc::new(AtomicBool::new(false));
        let (session, over) = (self.again(), Arc::clone(&is_over));
        thread::spawn(move || follow(&session, &graph, watcher, &over, &tell));
        DriftWatch { is_over, nudge }
    }
}

fn follow(session: &Session, graph: &Arc<Graph>, mut watcher: Watcher, over: &AtomicBool, tell: &dyn Fn(Drift)) {
    let mut upkeep = Upkeep::new(false);
    upkeep.take_over(session, graph, Instant::now());
    watcher.watch_with_trees(&*session.world, [], upkeep.paths(), upkeep.trees());
    let (watched, of) = upkeep.told_of();
    tell(Drift::Watching { watched, of });
    let mut differ: BTreeSet<ResourceId> = BTreeSet::new();
    while !over.load(Ordering::SeqCst) {
        let seen = watcher.wait(&*session.world, None, &|| !over.load(Ordering::SeqCst));
        let near = upkeep.near(&seen.touched);
        if near.is_empty() {
            continue;
        }
        let touched = upkeep.alone(&near);
        // A bug there ends the watch and nothing else.
        let Ok(plan) = job::run(|| session.preview(&touched, &Cancel::default(), &mut |_| ())) else { return };
        let now = not_right(&plan);
        let told: BTreeSet<_> = near.iter().filter(|id| now.contains(*id) || differ.contains(*id)).cloned().collect();
        differ.retain(|id| !near.contains(id));
        differ.extend(near.into_iter().filter(|id| now.contains(id)));
        if !told.is_empty() {
            tell(Drift::Touched(told));
        }
        thread::sleep(PACE);
    }
}

fn not_right(plan: &Plan) -> BTreeSet<ResourceId> {
    let is_right = |step: &&Step| step.action == Action::None && step.error.is_none();
    plan.steps.iter().filter(|step| !is_right(step)).map(|step| step.resource.clone()).collect()
}
