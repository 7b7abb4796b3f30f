//! One resource under care: where it stands, what wakes it, and how often its failure is tried again.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::pace::{NEVER, Pace};
use super::{Fate, Said};
use crate::engine::{Tries, Watching};
use crate::host::{Command, Followed, Following, Unit, follow, follow_unit};
use crate::resource::Watch;

/// How long what happens at paths is let be after a resource was mended: two programs that fight over a file must not
/// race.
const REST: Duration = Duration::from_secs(1);

/// Where a resource stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Its turn is still to come.
    Pending,
    Right,
    /// It failed, and is tried again then.
    Resting(Instant),
    /// It failed for good.
    Dead,
}

/// One resource under care.
pub(super) struct Care {
    pub standing: Standing,
    pub watching: Watching,
    pub pace: Pace,
    /// When an event that came may lead to a turn.
    pub waits: Option<Instant>,
    /// It was mended a moment ago: what happens at its paths has to wait until then.
    pub rests: Option<Instant>,
    pub clocks: Vec<Clock>,
    pub commands: Vec<Lookout>,
    /// Tries left after failures of its turn.
    pub tries: Tries,
}

/// Time that passes for a resource.
pub(super) struct Clock {
    pub period: Duration,
    pub next: Instant,
    /// What it notifies is refreshed.
    pub refreshes: bool,
}

/// Who tells of changes: a `watchcmd`, or the manager of a unit, who tells as long as anybody listens.
pub(super) struct Lookout {
    source: Source,
    running: Option<Following>,
    /// When it is started again after it ended.
    again: Option<Instant>,
    /// Tries left after it ended.
    tries: Tries,
}

#[derive(Clone)]
enum Source {
    Command(Box<Command>),
    Unit(Unit),
}

impl Care {
    pub fn new(watching: Watching, tries: Tries, now: Instant, with_commands: bool) -> Self {
        let mut pace = Pace::new(watching.limit, watching.burst, now);
        // The first turn is an event too.
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
        Self { standing: Standing::Pending, pace, waits: None, rests: None, clocks, commands, tries, watching }
    }

    /// Something may have happened to it. It is looked at when its pace allows it, and not before a point in time.
    pub fn event(&mut self, now: Instant, earliest: Instant) {
        let allowed = now + self.pace.take(now);
        // More events while one waits make it wait no longer, and lead to no turn of their own.
        self.waits.get_or_insert(allowed.max(earliest));
    }

    /// When something is due next.
    pub fn next(&self) -> Option<Instant> {
        let rests = match self.standing {
            Standing::Dead => return None,
            Standing::Resting(at) => Some(at),
            Standing::Pending | Standing::Right => None,
        };
        let waits = self.waits.filter(|_| self.standing == Standing::Right);
        let clocks = self.clocks.iter().map(|clock| clock.next);
        let commands = self.commands.iter().filter_map(|command| command.again);
        rests.into_iter().chain(waits).chain(clocks).chain(commands).min()
    }

    /// Lets clocks that are due strike. Whether what it notifies is to be refreshed.
    pub fn clocks_are_due(&mut self, now: Instant) -> bool {
        let mut refreshes = false;
        let mut is_event = false;
        for clock in self.clocks.iter_mut().filter(|clock| clock.next <= now) {
            // What was missed is not made up for.
            let next = later(clock.next, clock.period);
            clock.next = if next > now { next } else { later(now, clock.period) };
            refreshes |= clock.refreshes;
            is_event |= !clock.refreshes;
        }
        if is_event {
            self.event(now, now);
        }
        refreshes && self.standing == Standing::Right
    }

    /// Starts the commands that are to run now.
    pub fn start(&mut self, now: Instant, said: &dyn Fn(Followed) -> Said, say: &Sender<Said>) {
        for command in self.commands.iter_mut().filter(|command| command.again.is_some_and(|again| again <= now)) {
            command.again = None;
            let (id, life, _) = said(Followed::Line);
            let say = say.clone();
            // Nobody listens any more when the run is over.
            let tell = move |said| drop(say.send((id.clone(), life, said)));
            command.running = Some(match command.source.clone() {
                Source::Command(command) => follow(*command, tell),
                Source::Unit(unit) => follow_unit(unit, tell),
            });
        }
    }

    /// A command that watches has to run on. One that ends is started again as often as `retry` says.
    pub fn command_ended(&mut self, now: Instant, tell: &mut dyn FnMut(&str)) {
        let Some(command) = self.commands.first_mut() else { return };
        command.running = None;
        match command.tries.next() {
            Some(left) => {
                command.tries = left;
                command.again = Some(later(now, self.watching.delay));
                let delay = self.watching.delay.as_millis();
                let when = if delay == 0 { "at once".to_owned() } else { format!("in {delay} ms") };
                tell(&format!("restart {when}, {left}"));
                // What happened in between nobody has seen.
                self.event(now, now);
            }
            None => {
                self.standing = Standing::Dead;
                tell("no longer watched");
            }
        }
    }

    pub fn ended_well(&mut self, changed: bool, now: Instant) {
        self.standing = Standing::Right;
        if changed {
            self.rests = Some(now + REST);
        }
        if self.watching.retryreset {
            self.tries = self.watching.tries;
        }
    }

    /// Whoever was at it too has to be let time. It costs no try: a mend that comes a moment too early is no fault of it.
    pub fn undone(&mut self, now: Instant) -> Fate {
        let delay = self.watching.delay.max(REST);
        self.standing = Standing::Resting(later(now, delay));
        Fate::Contested { delay }
    }

    pub fn failed(&mut self, now: Instant) -> Fate {
        match self.tries.next() {
            Some(left) => {
                self.tries = left;
                let delay = self.watching.delay;
                self.standing = Standing::Resting(later(now, delay));
                Fate::Again { delay, left }
            }
            None => {
                self.standing = Standing::Dead;
                self.commands.clear();
                self.clocks.clear();
                Fate::Dead
            }
        }
    }
}

/// A time that no clock reaches is as good as never.
fn later(now: Instant, delay: Duration) -> Instant {
    now.checked_add(delay).unwrap_or_else(|| now + NEVER)
}
