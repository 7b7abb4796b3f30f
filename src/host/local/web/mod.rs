//! The web of this machine: outgoing requests, and open servers.

mod answer;
mod body;
mod fetch;
mod server;

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::graph::{Params, ResourceId, Value};
use crate::host::HostError;
use crate::host::web::{Fetch, Fetched, Page, Site, Web};

use server::Server;

/// Servers and pages, closed on drop.
#[derive(Default)]
pub struct LiveWeb {
    servers: Mutex<BTreeMap<ResourceId, Server>>,
    pages: Arc<Pages>,
}

/// The data that servers read at each request.
#[derive(Default)]
struct Pages {
    state: Mutex<PagesState>,
    /// Signals that a page received a value.
    bell: Condvar,
}

#[derive(Default)]
struct PagesState {
    pages: BTreeMap<ResourceId, Page>,
    /// The last values of flags, and which of them are not reported yet.
    taken: BTreeMap<ResourceId, Arc<str>>,
    changed: BTreeMap<ResourceId, Params>,
}

impl Pages {
    fn state(&self) -> MutexGuard<'_, PagesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the pages of a server.
    fn of(&self, server: &str) -> Vec<(ResourceId, Page)> {
        let state = self.state();
        let fits = |page: &Page| page.server.as_deref().is_none_or(|name| name == server);
        state.pages.iter().filter(|(_, page)| fits(page)).map(|(of, page)| (of.clone(), page.clone())).collect()
    }

    /// Stores a flag's value; `None` if the post had none.
    fn take(&self, flag: &ResourceId, value: Option<&str>) {
        let mut state = self.state();
        let sent = match value {
            Some(value) => {
                state.taken.insert(flag.clone(), value.into());
                Value::from(value)
            }
            None => {
                state.taken.remove(flag);
                Value::Null
            }
        };
        state.changed.insert(flag.clone(), Params::from_iter([("value".into(), sent)]));
        drop(state);
        self.bell.notify_all();
    }
}

impl LiveWeb {
    fn servers(&self) -> MutexGuard<'_, BTreeMap<ResourceId, Server>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for LiveWeb {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LiveWeb").field("servers", &self.servers().keys()).finish_non_exhaustive()
    }
}

impl Web for LiveWeb {
    fn fetch(&self, fetch: &Fetch) -> Result<Fetched, HostError> {
        fetch::fetch(fetch)
    }

    fn serve(&self, server: &ResourceId, site: Site) -> Result<(), HostError> {
        let mut servers = self.servers();
        match servers.get(server) {
            Some(open) if open.address() == site.address => open.set(site),
            _ => {
                // Close the old server first: the new address may have the same port on other interfaces.
                servers.remove(server);
                servers.insert(server.clone(), Server::open(site, Arc::clone(&self.pages))?);
            }
        }
        Ok(())
    }

    fn publish(&self, of: &ResourceId, page: Page) {
        self.pages.state().pages.insert(of.clone(), page);
    }

    fn taken(&self, flag: &ResourceId) -> Option<Arc<str>> {
        self.pages.state().taken.get(flag).cloned()
    }

    fn received(&self) -> Vec<(ResourceId, Params)> {
        std::mem::take(&mut self.pages.state().changed).into_iter().collect()
    }

    fn wait(&self, at_most: Duration) -> bool {
        let state = self.pages.state();
        let waited = self.pages.bell.wait_timeout_while(state, at_most, |state| state.changed.is_empty());
        !waited.unwrap_or_else(PoisonError::into_inner).0.changed.is_empty()
    }

    fn keep_only(&self, is_wanted: &dyn Fn(&ResourceId) -> bool) {
        self.servers().retain(|server, _| is_wanted(server));
        let mut state = self.pages.state();
        state.pages.retain(|of, _| is_wanted(of));
        state.taken.retain(|of, _| is_wanted(of));
        state.changed.retain(|of, _| is_wanted(of));
    }
}
