//! One maintained resource: its status, its wake-up sources, and its retries.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::pace::{NEVER, Pace};
use super::{AfterFailure, CommandMessage};
use crate::engine::{Tries, Watching};
use crate::host::{Command, Followed, Following, Unit, follow, follow_unit};
use crate::resource::Watch;

/// How long events at paths are ignored after a resource was corrected: two programs that both change a file must not
/// race.
const REST: Duration = Duration::from_secs(1);

/// The status of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Its turn is pending.
    Pending,
    Right,
    /// It failed, and is retried at this time.
    Resting(Instant),
    /// It failed for good.
    Dead,
}

/// One maintained resource.
pub(super) struct Care {
    pub status: Status,
    pub watching: Watching,
    pub pace: Pace,
    /// When the pending event may start a turn.
    pub waits: Option<Instant>,
    /// It was just corrected. Events at its paths wait until this time.
    pub rests: Option<Instant>,
    pub clocks: Vec<Clock>,
    pub commands: Vec<Lookout>,
    /// Retries left after failures of its turn.
    pub tries: Tries,
}

/// A timer of a resource.
pub(super) struct Clock {
    pub period: Duration,
    pub next: Instant,
    /// The timer refreshes the notified resources.
    pub refreshes: bool,
}

/// A source of change notifications: a `watchcmd`, or a unit's manager.
pub(super) struct Lookout {
    source: Source,
    running: Option<Following>,
    /// When to start it again after it ended.
    again: Option<Instant>,
    /// Restarts left after it ended.
    tries: Tries,
}

#[derive(Clone)]
enum Source {
    Command(Box<Command>),
    Unit(Unit),
}

impl Care {
    /// Makes the state of a resource at the start of its watch. `with_commands` permits a `watchcmd` to run.
    pub fn new(watching: Watching, tries: Tries, now: Instant, with_commands: bool) -> Self {
        let mut pace = Pace::new(watching.limit, watching.burst, now);
        // The first turn counts as an event.
        pace.take(now);
        let clock = |period: Duration, refreshes| Clock { period, next: now + period, refreshes };
        let clocks = watching.watches.iter().filter_map(|watch| match watch {
            Watch::Every(period) => Some(clock(*period, false)),
            Watch::Tick(period) => Some(clock(*period, true)),
            Watch::Path(_) | Watch::Tree(_) | Watch::Lines(_) | Watch::Unit(_) => None,
        });
        let clocks = clocks.collect();
        let sources = watching.watches.iter().filter_map(|watch| match watch {
            Watch::Lines(command) if with_commands => Some(Source::Command(command.clone())),
            Watch::Unit(unit) => Some(Source::Unit(unit.clone())),
            _ => None,
        });
        let lookout = |source| Lookout { source, running: None, again: Some(now), tries: watching.tries };
        let commands: Vec<Lookout> = sources.map(lookout).collect();
        Self { status: Status::Pending, pace, waits: None, rests: None, clocks, commands, tries, watching }
    }

    /// Records a possible change. The resource is checked when its rate limit allows, and not before `earliest`.
    pub fn event(&mut self, now: Instant, earliest: Instant) {
        let allowed = now + self.pace.take(now);
        // Further events do not extend the wait and start no turn of their own.
        self.waits.get_or_insert(allowed.max(earliest));
    }

    /// Returns the time of the next action.
    pub fn next(&self) -> Option<Instant> {
        let rests = match self.status {
            Status::Dead => return None,
            Status::Resting(at) => Some(at),
            Status::Pending | Status::Right => None,
        };
        let waits = self.waits.filter(|_| self.status == Status::Right);
        let clocks = self.clocks.iter().map(|clock| clock.next);
        let commands = self.commands.iter().filter_map(|command| command.again);
        rests.into_iter().chain(waits).chain(clocks).chain(commands).min()
    }

    /// Fires the timers that are due. Returns whether the notified resources are to be refreshed.
    pub fn clocks_are_due(&mut self, now: Instant) -> bool {
        let mut refreshes = false;
        let mut is_event = false;
        for clock in self.clocks.iter_mut().filter(|clock| clock.next <= now) {
            // Missed periods are skipped.
            let next = later(clock.next, clock.period);
            clock.next = if next > now { next } else { later(now, clock.period) };
            refreshes |= clock.refreshes;
            is_event |= !clock.refreshes;
        }
        if is_event {
            self.event(now, now);
        }
        refreshes && self.status == Status::Right
    }

    /// Starts the commands that are due.
    pub fn start(
        &mut self,
        now: Instant,
        message: &dyn Fn(Followed) -> CommandMessage,
        sender: &Sender<CommandMessage>,
    ) {
        for command in self.commands.iter_mut().filter(|command| command.again.is_some_and(|again| again <= now)) {
            command.again = None;
            let (id, life, _) = message(Followed::Line);
            let sender = sender.clone();
            // The receiver is gone when the run is over.
            let report = move |message| drop(sender.send((id.clone(), life, message)));
            command.running = Some(match command.source.clone() {
                Source::Command(command) => follow(*command, report),
                Source::Unit(unit) => follow_unit(unit, report),
            });
        }
    }

    /// Handles a watching command that ended. It is restarted according to `retry`.
    pub fn command_ended(&mut self, now: Instant, report: &mut dyn FnMut(&str)) {
        let Some(command) = self.commands.first_mut() else { return };
        command.running = None;
        match command.tries.next() {
            Some(left) => {
                command.tries = left;
                command.again = Some(later(now, self.watching.delay));
                let delay = self.watching.delay.as_millis();
                let when = if delay == 0 { "at once".to_owned() } else { format!("in {delay} ms") };
                report(&format!("restart {when}, {left}"));
                // Changes in between were not observed.
                self.event(now, now);
            }
            None => {
                self.status = Status::Dead;
                report("no longer watched");
            }
        }
    }

    /// Records a turn without a failure. If it changed something, events at the resource's paths wait for a while.
    pub fn ended_well(&mut self, changed: bool, now: Instant) {
        self.status = Status::Right;
        if changed {
            self.rests = Some(now + REST);
        }
        if self.watching.retryreset {
            self.tries = self.watching.tries;
        }
    }

    /// Another program may be changing it too, so wait. This uses up no retry, because the correction did not fail.
    pub fn undone(&mut self, now: Instant) -> AfterFailure {
        let delay = self.watching.delay.max(REST);
        self.status = Status::Resting(later(now, delay));
        AfterFailure::Contested { delay }
    }

    /// Records a failed turn. The result is a retry, or the permanent failure if no retry is left.
    pub fn failed(&mut self, now: Instant) -> AfterFailure {
        match self.tries.next() {
            Some(left) => {
                self.tries = left;
                let delay = self.watching.delay;
                self.status = Status::Resting(later(now, delay));
                AfterFailure::Again { delay, left }
            }
            None => {
                self.status = Status::Dead;
                self.commands.clear();
                self.clocks.clear();
                AfterFailure::Dead
            }
        }
    }
}

/// A time beyond the clock's range counts as never.
fn later(now: Instant, delay: Duration) -> Instant {
    now.checked_add(delay).unwrap_or_else(|| now + NEVER)
}
