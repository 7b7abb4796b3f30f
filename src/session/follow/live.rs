//! A program whose inputs are watched on a thread, which processes each event.
//!
//! Output: [`News`], by calls from that thread. The thread sleeps until an input changes or is due. Deliberately
//! absent: applying anything.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::session::follow::Event;
use crate::session::follow::moment::{Moment, Pending, Taker, What};
use crate::session::{Cancel, Session};
use crate::world::{Nudge, Watcher, World, WorldChanges};

/// A report about a watched program.
#[derive(Clone, Debug)]
pub enum News {
    /// The new state of the program.
    Moment(Arc<Moment>),
    /// A bug ended the watch. The text describes it.
    Broke(String),
}

/// A watched program. Dropping it ends the watch.
#[derive(Debug)]
pub struct Watched {
    nudge: Nudge,
    cancel: Cancel,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.nudge.nudge();
    }
}

impl Session {
    /// Watches the program's inputs. `report` runs on another thread and first receives the initial state.
    pub fn watch_inputs(&self, report: impl Fn(News) + Send + 'static) -> Watched {
        let (watcher, nudge) = Watcher::patient();
        let cancel = Cancel::default();
        let watching = Watching { session: self.again(), cancel: cancel.clone(), report: Box::new(report) };
        thread::spawn(move || watching.watch(watcher));
        Watched { nudge, cancel }
    }
}

/// The loop variables of the thread.
struct Watching {
    session: Session,
    cancel: Cancel,
    report: Box<dyn Fn(News) + Send>,
}

impl Watching {
    fn watch(&self, mut watcher: Watcher) {
        let Some((mut taker, moment)) = Taker::start(&self.session, Watcher::now(), None, &self.cancel) else {
            return (self.report)(News::Broke("the program cannot be watched".into()));
        };
        (self.report)(News::Moment(Arc::new(moment)));
        let world: &dyn World = &*self.session.world;
        let mut is_new = true;
        while !self.cancel.is_cancelled() {
            if is_new {
                // Each with the value that the program uses.
                watcher.watch(world, taker.inputs().iter().chain(taker.program()).cloned(), []);
            }
            let due = taker.wake().map(until);
            let seen = watcher.wait(world, due, &|| !self.cancel.is_cancelled());
            let is_due = due.is_some_and(|due| Instant::now() >= due);
            is_new = !seen.changes.is_empty() || is_due;
            if !is_new || self.cancel.is_cancelled() {
                continue;
            }
            let pending = pending(seen, &taker);
            match taker.take(pending) {
                Some(moment) => (self.report)(News::Moment(Arc::new(moment))),
                None if self.cancel.is_cancelled() => return,
                None => return (self.report)(News::Broke("the program can no longer be watched".into())),
            }
        }
    }
}

/// Makes an event of now from the changed inputs.
fn pending(seen: WorldChanges, taker: &Taker) -> Pending {
    let is_program = seen.changes.iter().any(|(read, _)| taker.program().iter().any(|(known, _)| known == read));
    let what = if is_program { What::Program } else { What::Inputs };
    Pending { event: Event { at: Watcher::now(), changes: seen.changes }, what }
}

/// The instant of a time, in milliseconds since 1970.
fn until(wake: u64) -> Instant {
    Instant::now() + Duration::from_millis(wake.saturating_sub(Watcher::now()))
}
