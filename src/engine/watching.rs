//! What a run that watches has to know of each resource: what tells of changes, how often it may be bothered, how often
//! a failure is tried again.

use std::time::Duration;

use crate::graph::{Graph, Resource};
use crate::host::{HostError, Look};
use crate::resource::{Turn, Watch, watches};
use crate::world::Cancel;

use super::Options;
use super::meta::Tries;

/// The orders of one resource.
#[derive(Clone, Debug)]
pub struct Watching {
    pub watches: Vec<Watch>,
    /// Events a second, and how many may come at once.
    pub limit: f64,
    pub burst: f64,
    pub tries: Tries,
    pub delay: Duration,
    /// A success gives all tries back.
    pub retryreset: bool,
    /// A change of the resource gives all tries back.
    pub reset: bool,
    /// The next graph revives it after it failed for good.
    pub rewatch: bool,
}

/// What a resource of a graph asks for.
pub fn watching(resource: &Resource, options: &Options, look: &dyn Look) -> Watching {
    let meta = &resource.meta;
    let watches = found(resource, options, look).unwrap_or_else(|_| vec![Watch::Every(UNTOLD)]);
    Watching {
        watches,
        limit: meta.limit(),
        burst: meta.burst() as f64,
        tries: Tries::of(resource),
        delay: meta.delay(),
        retryreset: meta.retryreset(),
        reset: meta.reset(),
        rewatch: meta.rewatch(),
    }
}

/// How often a resource is looked at of which it cannot be told what to watch, since a parameter is not known yet.
const UNTOLD: Duration = Duration::from_secs(10);

/// `poll` takes the place of all that a kind would watch; below nought it is looked at once.
fn found(resource: &Resource, options: &Options, look: &dyn Look) -> Result<Vec<Watch>, HostError> {
    match resource.meta.poll() {
        seconds @ 1.. => return Ok(vec![Watch::Every(Duration::from_secs(seconds.unsigned_abs()))]),
        ..=-1 => return Ok(Vec::new()),
        0 => {}
    }
    let Some(wanted) = resource.wanted() else { return Ok(Vec::new()) };
    let turn = Turn {
        id: &resource.id,
        name: &wanted.name,
        params: &wanted.params,
        received: &[],
        refresh: false,
        deadline: None,
        cancel: &Cancel::default(),
        tell: None,
        managed: &Default::default(),
        state: options.state.as_deref(),
        hostname: &options.hostname,
        is_heard: false,
    };
    watches(&wanted.kind, &turn, look)
}

/// The resources that take turns.
pub fn takers(graph: &Graph) -> impl Iterator<Item = &Resource> {
    graph.resources().map(|(_, resource)| resource).filter(|resource| !resource.is_hidden())
}
