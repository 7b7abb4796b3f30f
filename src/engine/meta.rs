//! What meta parameters ask of a run.
//!
//! `noop`, `audit`, `schedule`, `retry`, `delay`, `timeout`, `sema` and `hidden` count in every run. What follows needs more than one turn of a
//! resource, and so means something only while `workbench run` watches ([`Watching`](super::Watching)): `poll`, `limit` and
//! `burst` (how often events may come), `retryreset` (a success gives all tries back; a turn succeeds once), `reset` and
//! `rewatch` (what the next graph does to counters and watches). `reverse` needs to know what an earlier run had.
//! `autoedge`, `autogroup`, `export` and `dollar` have done their work when a graph stands; `realize` does nothing, here as
//! there.

use jiff::Zoned;

use crate::graph::Resource;
use crate::plan::OUTSIDE_SCHEDULE;
use crate::resource::{kind, semaphore};

/// How often a failed turn is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tries {
    Left(u32),
    Endless,
}

impl Tries {
    pub fn of(resource: &Resource) -> Self {
        match resource.meta.retry() {
            ..=-1 => Tries::Endless,
            tries => Tries::Left(u32::try_from(tries).unwrap_or(u32::MAX)),
        }
    }

    /// One try less; `None` where none is left.
    pub fn next(self) -> Option<Self> {
        match self {
            Tries::Endless => Some(self),
            Tries::Left(left) => left.checked_sub(1).map(Tries::Left),
        }
    }
}

impl std::fmt::Display for Tries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tries::Endless => f.write_str("without limit"),
            Tries::Left(0) => f.write_str("the last one"),
            Tries::Left(left) => write!(f, "{left} more after that"),
        }
    }
}

/// Why a resource may not change now, though it may be looked at; nothing where it may.
#[allow(clippy::disallowed_methods, reason = "a schedule is about the time of the change, and not of the compilation")]
pub(super) fn held_back(resource: &Resource) -> Option<String> {
    if resource.meta.audit() {
        return Some("`audit` is set: it is never changed".into());
    }
    let schedule = resource.meta.schedule()?;
    let now = Zoned::now();
    let minute = u16::from(now.hour().unsigned_abs()) * 60 + u16::from(now.minute().unsigned_abs());
    let allowed = schedule.allows(now.weekday().to_monday_one_offset().unsigned_abs(), minute);
    (!allowed).then(|| format!("{OUTSIDE_SCHEDULE} `{}`", schedule.name))
}

/// The semaphores to hold during a try, sorted, that of what its kind shares among them, each with how many may hold it at once.
pub(super) fn semaphores(resource: &Resource) -> Vec<(&str, u32)> {
    let mut semas: Vec<_> = resource.meta.semas().filter_map(|name| semaphore(name).ok()).collect();
    let shared = resource.wanted().and_then(|wanted| kind(&wanted.kind)).and_then(|kind| kind.shares());
    semas.extend(shared.map(|shared| (shared, 1)));
    semas.sort_unstable();
    semas.dedup();
    semas
}
