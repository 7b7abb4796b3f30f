//! The meta parameters that affect a run.
//!
//! `noop`, `audit`, `schedule`, `retry`, `delay`, `timeout`, `sema` and `hidden` apply to every run. The following need
//! several turns of a resource and apply only while `workbench run` watches ([`Watching`](super::Watching)): `poll`,
//! `limit` and `burst` (the rate of events), `retryreset` (a success resets the retries), `reset` and `rewatch` (the
//! effect of the next graph on counters and watches). `reverse` needs the previous run's resources. `autoedge`,
//! `autogroup`, `export` and `dollar` are finished once a graph exists. `realize` has no effect, as in mgmt.

use jiff::{Timestamp, Zoned};

use crate::graph::Resource;
use crate::host::{Act, HostError, Look};
use crate::plan::OUTSIDE_SCHEDULE;
use crate::resource::{Turn, kept, kind, semaphore};

/// How often a failed turn is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tries {
    Left(u32),
    Endless,
}

impl Tries {
    /// Returns the retries that a resource declares. A negative number means no limit.
    pub fn of(resource: &Resource) -> Self {
        match resource.meta.retry() {
            ..=-1 => Tries::Endless,
            tries => Tries::Left(u32::try_from(tries).unwrap_or(u32::MAX)),
        }
    }

    /// Counts one attempt; `None` if none is left.
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

/// Returns why a resource may be checked but not changed now; `None` if it may be changed.
#[allow(clippy::disallowed_methods, reason = "a schedule is about the time of the change, and not of the compilation")]
pub(super) fn held_back(resource: &Resource, turn: &Turn, look: &dyn Look) -> Result<Option<String>, HostError> {
    if resource.meta.audit() {
        return Ok(Some("`audit` is set: it is never changed".into()));
    }
    let Some(schedule) = resource.meta.schedule() else { return Ok(None) };
    let now = Zoned::now();
    let minute = u16::from(now.hour().unsigned_abs()) * 60 + u16::from(now.minute().unsigned_abs());
    let allowed = schedule.allows(now.weekday().to_monday_one_offset().unsigned_abs(), minute);
    if !allowed {
        return Ok(Some(format!("{OUTSIDE_SCHEDULE} `{}`", schedule.name)));
    }
    let last = if schedule.period.is_some() { kept::last_change(turn, look)? } else { None };
    let last =
        last.and_then(|seconds| Timestamp::from_second(seconds).ok()).map(|at| at.to_zoned(now.time_zone().clone()));
    let is_too_soon = last.is_some_and(|last| schedule.is_too_soon(&last, &now));
    Ok(is_too_soon.then(|| format!("{OUTSIDE_SCHEDULE} `{}`: it was changed in this period", schedule.name)))
}

/// Records the time of a change, for a resource with a period.
#[allow(clippy::disallowed_methods, reason = "a schedule is about the time of the change, and not of the compilation")]
pub(super) fn note_change(resource: &Resource, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
    match resource.meta.schedule().and_then(|schedule| schedule.period) {
        Some(_) => kept::note_change(turn, Timestamp::now().as_second(), act),
        None => Ok(()),
    }
}

/// The sorted semaphores to hold during an attempt, including the one that its kind shares, each with its limit.
pub(super) fn semaphores(resource: &Resource) -> Vec<(&str, u32)> {
    let mut semas: Vec<_> = resource.meta.semas().filter_map(|name| semaphore(name).ok()).collect();
    let shared = resource.wanted().and_then(|wanted| kind(&wanted.kind)).and_then(|kind| kind.shares());
    semas.extend(shared.map(|shared| (shared, 1)));
    semas.sort_unstable();
    semas.dedup();
    semas
}
