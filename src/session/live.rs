//! A program whose inputs are watched on a thread: events are taken in as they come, or collected and taken one by one.
//!
//! Comes in: [`Order`]s. Goes out: [`News`], by a call from that thread. Events come from this machine, or from a record;
//! then nothing is watched, and all of them wait. The thread sleeps until an input differs, is due, or an order comes.
//! Deliberately absent: applying anything.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::follow::{Answer, Event, Read};
use super::moment::{Moment, Pending, Taker, What};
use super::{Cancel, Session};
use crate::world::{Nudge, Seen, Watcher, World};

/// More events than this do not wait: the oldest two become one, as if both had come at once.
const MOST_WAITING: usize = 10_000;

/// Where events come from.
#[derive(Clone, Debug)]
pub enum EventSource {
    Machine,
    /// The first says what was read at the start.
    Record(Arc<[Event]>),
}

/// What is asked of a watched program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Events wait from now on.
    Pause,
    /// What waits is taken in, and then whatever comes.
    GoOn,
    /// Takes in exactly one event that waits.
    Take,
}

/// What is told of a watched program.
#[derive(Clone, Debug)]
pub enum News {
    /// The program stands like this now.
    Moment(Arc<Moment>),
    /// Another event waits.
    Waits(Pending),
    /// The two oldest waiting events became one.
    Joined,
    /// It cannot go on: a bug, which the words tell of.
    Broke(String),
}

/// A watched program. Dropping it ends the watch.
#[derive(Debug)]
pub struct Watched {
    orders: Sender<Order>,
    /// An order waits.
    waits: Arc<AtomicBool>,
    nudge: Nudge,
    cancel: Cancel,
}

impl Watched {
    pub fn order(&self, order: Order) {
        // The thread ends before this only by a bug, and has told so.
        let _ = self.orders.send(order);
        self.rouse();
    }

    fn rouse(&self) {
        self.waits.store(true, Ordering::SeqCst);
        self.nudge.nudge();
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.cancel.cancel();
        // The thread asks for an order, and finds that there are none any more.
        self.orders = channel().0;
        self.rouse();
    }
}

impl Session {
    /// Watches the program's inputs. `tell` is called from a thread of its own, first with how the program stands. Events of
    /// a record wait until they are asked for.
    pub fn watch_inputs(&self, source: EventSource, tell: impl Fn(News) + Send + 'static) -> Watched {
        let (orders, ordered) = channel();
        let (watcher, nudge) = Watcher::patient();
        let (waits, cancel) = (Arc::new(AtomicBool::new(false)), Cancel::default());
        let mut watching = Watching {
            session: self.again(),
            waiting: VecDeque::new(),
            is_paused: matches!(source, EventSource::Record(_)),
            is_record: matches!(source, EventSource::Record(_)),
            ordered,
            waits: Arc::clone(&waits),
            cancel: cancel.clone(),
            tell: Box::new(tell),
        };
        thread::spawn(move || match source {
            EventSource::Machine => watching.watch(watcher),
            EventSource::Record(events) => watching.replay(&events),
        });
        Watched { orders, waits, nudge, cancel }
    }
}

/// Why the thread ends.
struct Ended;

/// What the thread goes on with.
struct Watching {
    session: Session,
    waiting: VecDeque<Pending>,
    is_paused: bool,
    /// A record says itself when time has passed.
    is_record: bool,
    ordered: Receiver<Order>,
    waits: Arc<AtomicBool>,
    cancel: Cancel,
    tell: Box<dyn Fn(News) + Send>,
}

impl Watching {
    /// Events from this machine.
    fn watch(&mut self, mut watcher: Watcher) {
        let Some(mut taker) = self.start(Watcher::now(), None) else { return };
        let world = Arc::clone(&self.session.world);
        let mut is_new = true;
        loop {
            if is_new {
                self.follow(&mut watcher, &taker, &*world);
            }
            match self.hear_orders(&mut taker) {
                Err(Ended) => return,
                Ok(0) => is_new = false,
                Ok(_) => {
                    is_new = true;
                    continue;
                }
            }
            // An event that waits brings the time with it.
            let is_later = |wake: &u64| self.waiting.back().is_none_or(|last| last.event.at < *wake);
            let due = taker.wake().filter(is_later).map(until);
            let waits = Arc::clone(&self.waits);
            let seen = watcher.wait(&*world, due, &|| !waits.load(Ordering::SeqCst));
            let is_due = due.is_some_and(|due| Instant::now() >= due);
            if seen.changes.is_empty() && !is_due {
                continue;
            }
            let pending = pending(seen, &taker);
            is_new = match self.is_paused {
                true => {
                    self.collect(pending);
                    false
                }
                false => match self.take(&mut taker, pending) {
                    Err(Ended) => return,
                    Ok(()) => true,
                },
            };
        }
    }

    /// Watches what the program reads, each with the sample that was seen of it last: that of an event that waits, or that
    /// the program goes by.
    fn follow(&self, watcher: &mut Watcher, taker: &Taker, world: &dyn World) {
        let reads = taker.inputs().iter().chain(taker.program()).cloned();
        let seen = self.waiting.iter().flat_map(|pending| pending.event.changes.iter().cloned());
        let wanted: BTreeSet<_> = taker.inputs().iter().chain(taker.program()).map(|(read, _)| read).collect();
        let seen = seen.filter(|(read, _)| wanted.contains(read));
        watcher.watch(world, reads.chain(seen), []);
    }

    /// Events from a record.
    fn replay(&mut self, events: &[Event]) {
        let first = events.first().cloned().unwrap_or_default();
        let Some(mut taker) = self.start(first.at, Some(&first)) else { return };
        for event in events.iter().skip(1) {
            self.collect(Pending { event: event.clone(), what: What::Inputs });
        }
        loop {
            let Ok(order) = self.ordered.recv() else { return };
            let Ok(()) = self.obey(order, &mut taker) else { return };
        }
    }

    fn start(&mut self, now: u64, record: Option<&Event>) -> Option<Taker> {
        let Some((taker, moment)) = Taker::start(&self.session, now, record, &self.cancel) else {
            (self.tell)(News::Broke("the program cannot be watched".into()));
            return None;
        };
        (self.tell)(News::Moment(Arc::new(moment)));
        Some(taker)
    }

    /// Obeys what was ordered meanwhile. Gives how many orders there were.
    fn hear_orders(&mut self, taker: &mut Taker) -> Result<usize, Ended> {
        self.waits.store(false, Ordering::SeqCst);
        let mut count = 0;
        loop {
            match self.ordered.try_recv() {
                Ok(order) => self.obey(order, taker)?,
                Err(TryRecvError::Empty) => return Ok(count),
                Err(TryRecvError::Disconnected) => return Err(Ended),
            }
            count += 1;
        }
    }

    fn obey(&mut self, order: Order, taker: &mut Taker) -> Result<(), Ended> {
        match order {
            Order::Pause => self.is_paused = true,
            Order::Take => {
                self.is_paused = true;
                self.take_waiting(taker)?;
            }
            Order::GoOn => {
                self.is_paused = false;
                while !self.is_paused && self.take_waiting(taker)? {
                    // Whoever goes on may think better of it.
                    self.hear_orders(taker)?;
                }
            }
        }
        Ok(())
    }

    /// Takes in the oldest event that waits, if any does.
    fn take_waiting(&mut self, taker: &mut Taker) -> Result<bool, Ended> {
        let Some(next) = self.waiting.front() else { return Ok(false) };
        // What came of age before it comes first, as it would have without a pause.
        let wake = taker.wake().filter(|wake| !self.is_record && *wake < next.event.at);
        let pending = match wake {
            Some(at) => Some(Pending { event: Event { at, changes: Vec::new() }, what: What::Inputs }),
            None => self.waiting.pop_front(),
        };
        pending.map_or(Ok(()), |pending| self.take(taker, pending))?;
        Ok(true)
    }

    fn take(&mut self, taker: &mut Taker, pending: Pending) -> Result<(), Ended> {
        match taker.take(pending) {
            Some(moment) => {
                (self.tell)(News::Moment(Arc::new(moment)));
                Ok(())
            }
            None => {
                if !self.cancel.is_cancelled() {
                    (self.tell)(News::Broke("the program can no longer be watched".into()));
                }
                Err(Ended)
            }
        }
    }

    fn collect(&mut self, pending: Pending) {
        self.waiting.push_back(pending.clone());
        (self.tell)(News::Waits(pending));
        if self.waiting.len() > MOST_WAITING
            && !self.is_record
            && let Some(oldest) = self.waiting.pop_front()
        {
            let next = &mut self.waiting[0];
            if oldest.what == What::Program {
                next.what = What::Program;
            }
            let newer = std::mem::take(&mut next.event.changes);
            let is_older = |(read, _): &(Read, Answer)| newer.iter().all(|(other, _)| other != read);
            next.event.changes = oldest.event.changes.into_iter().filter(is_older).collect();
            next.event.changes.extend(newer);
            (self.tell)(News::Joined);
        }
    }
}

/// What was seen, as an event of now.
fn pending(seen: Seen, taker: &Taker) -> Pending {
    let is_program = seen.changes.iter().any(|(read, _)| taker.program().iter().any(|(known, _)| known == read));
    let what = if is_program { What::Program } else { What::Inputs };
    Pending { event: Event { at: Watcher::now(), changes: seen.changes }, what }
}

/// The instant at a time of day, in milliseconds since 1970.
fn until(wake: u64) -> Instant {
    Instant::now() + Duration::from_millis(wake.saturating_sub(Watcher::now()))
}
