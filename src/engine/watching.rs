//! How a watching run treats each resource: the sources of changes, the rate of events, and the retries.

use std::time::Duration;

use crate::graph::{Graph, Resource};
use crate::host::{HostError, Look};
use crate::resource::{Turn, Watch, read, watches};
use crate::world::Cancel;

use super::Options;
use super::meta::Tries;

/// The watch settings of one resource.
#[derive(Clone, Debug)]
pub struct Watching {
    pub watches: Vec<Watch>,
    /// Events per second, and the largest burst.
    pub limit: f64,
    pub burst: f64,
    pub tries: Tries,
    pub delay: Duration,
    /// A success resets the retries.
    pub retryreset: bool,
    /// A change of the resource resets the retries.
    pub reset: bool,
    /// The next graph restarts it after its final failure.
    pub rewatch: bool,
}

/// Returns the watch settings of a resource.
pub fn watching(resource: &Resource, options: &Options, look: &dyn Look) -> Watching {
    let meta = &resource.meta;
    let watches = found(resource, options, look).unwrap_or_else(|_| vec![Watch::Every(UNKNOWN_WATCH)]);
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

/// The polling interval of a resource whose watch is unknown, because a parameter is not known yet.
const UNKNOWN_WATCH: Duration = Duration::from_secs(10);

/// `poll` replaces the kind's own watches. A negative value means to poll at once.
fn found(resource: &Resource, options: &Options, look: &dyn Look) -> Result<Vec<Watch>, HostError> {
    match resource.meta.poll() {
        seconds @ 1.. => return Ok(vec![Watch::Every(Duration::from_secs(seconds.unsigned_abs()))]),
        ..=-1 => return Ok(Vec::new()),
        0 => {}
    }
    let Some(wanted) = resource.wanted() else { return Ok(Vec::new()) };
    let typed = read(&wanted.kind, &wanted.name, &wanted.params, &resource.meta).unwrap_or_default();
    let turn = Turn {
        id: &resource.id,
        name: &wanted.name,
        params: &wanted.params,
        typed: &typed,
        received: &[],
        refresh: false,
        deadline: None,
        cancel: &Cancel::default(),
        progress: None,
        managed: &Default::default(),
        state: options.state.as_deref(),
        hostname: &options.hostname,
        is_received: false,
    };
    watches(&wanted.kind, &turn, look)
}

/// Returns the resources that take turns.
pub fn takers(graph: &Graph) -> impl Iterator<Item = &Resource> {
    graph.resources().map(|(_, resource)| resource).filter(|resource| !resource.is_hidden())
}
