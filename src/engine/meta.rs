//! What meta parameters ask of a run.
//!
//! `noop`, `retry`, `delay`, `timeout`, `sema` and `hidden` count in every run. What follows needs more than one turn of a
//! resource, and so means something only while `workbench run` watches ([`Watching`](super::Watching)): `poll`, `limit` and
//! `burst` (how often events may come), `retryreset` (a success gives all tries back; a turn succeeds once), `reset` and
//! `rewatch` (what the next graph does to counters and watches). `reverse` needs to know what an earlier run had.
//! `autoedge`, `autogroup`, `export` and `dollar` have done their work when a graph stands; `realize` does nothing, here as
//! there.

use std::time::Duration;

use crate::graph::{Resource, Value};
use crate::resource::{kind, semaphore};

/// How often a failed turn is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tries {
    Left(u32),
    Endless,
}

impl Tries {
    pub fn of(resource: &Resource) -> Self {
        match resource.meta.get("retry").and_then(Value::as_int) {
            Some(..=-1) => Tries::Endless,
            Some(tries) => Tries::Left(u32::try_from(tries).unwrap_or(u32::MAX)),
            None => Tries::Left(0),
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

/// How long to wait before a failed turn is tried again.
pub(super) fn delay(resource: &Resource) -> Duration {
    millis(resource, "delay").unwrap_or_default()
}

/// How long one try may take, looking and changing together.
pub(super) fn timeout(resource: &Resource) -> Option<Duration> {
    millis(resource, "timeout")
}

fn millis(resource: &Resource, name: &str) -> Option<Duration> {
    let millis = resource.meta.get(name)?.as_int()?;
    u64::try_from(millis).ok().filter(|millis| *millis > 0).map(Duration::from_millis)
}

pub(super) fn is_noop(resource: &Resource) -> bool {
    resource.meta.get("noop").and_then(Value::as_bool) == Some(true)
}

/// The semaphores to hold during a try, sorted, that of what its kind shares among them, each with how many may hold it at once.
pub(super) fn semaphores(resource: &Resource) -> Vec<(&str, u32)> {
    let names = resource.meta.get("sema").and_then(Value::as_list).unwrap_or_default();
    let mut semas: Vec<_> = names.iter().filter_map(Value::as_str).filter_map(|name| semaphore(name).ok()).collect();
    let shared = resource.wanted().and_then(|wanted| kind(&wanted.kind)).and_then(|kind| kind.shares());
    semas.extend(shared.map(|shared| (shared, 1)));
    semas.sort_unstable();
    semas.dedup();
    semas
}
