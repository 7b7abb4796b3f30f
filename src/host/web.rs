//! The facet of the web: fetching over HTTP, and serving while a run lives.
//!
//! The host holds the servers, not the run. A later run on the same host, with another graph, updates servers and pages
//! by their resources' ids and removes the others ([`Web::keep_only`]). Dropping the host closes all. A preview has no
//! web: it neither sends requests nor binds addresses.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::HostError;
use crate::graph::{Params, ResourceId};

/// One request.
#[derive(Clone, Debug, Default)]
pub struct Fetch {
    pub method: String,
    pub url: String,
    pub body: Option<Vec<u8>>,
    /// Only a newer version: seconds since 1970.
    pub newer_than: Option<i64>,
    pub timeout: Option<Duration>,
}

/// The response.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub status: u16,
    pub body: Arc<[u8]>,
}

/// A server, without its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The name by which pages refer to it.
    pub name: String,
    /// Host and port. A leading colon means every interface.
    pub address: String,
    /// The limit for one request with its answer.
    pub timeout: Option<Duration>,
    /// A folder to serve for paths without a page.
    pub root: Option<PathBuf>,
}

/// The answer of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Data(Arc<[u8]>),
    /// A file, or a folder with its contents.
    Path(PathBuf),
    /// Takes the value of a key from a post.
    Flag {
        key: String,
    },
    /// Fetches from another server: removes `sub` from the path and prepends `head`. Caches the answer below `cache`.
    Proxy {
        sub: String,
        head: String,
        cache: Option<PathBuf>,
    },
}

/// A path of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The server by name; by default every server.
    pub server: Option<String>,
    pub path: String,
    pub answer: Answer,
}

/// The web as a machine may use it.
pub trait Web: Send + Sync {
    fn fetch(&self, fetch: &Fetch) -> Result<Fetched, HostError>;

    /// Opens a server, or updates the open one of the same resource. A server with an unchanged address stays open.
    fn serve(&self, server: &ResourceId, site: Site) -> Result<(), HostError>;

    /// Adds a page to its server, now or when the server opens.
    fn publish(&self, of: &ResourceId, page: Page);

    /// Returns the last value of a flag.
    fn taken(&self, flag: &ResourceId) -> Option<Arc<str>>;

    /// Returns the values that pages received since the last call. Their resources now send them.
    fn heard(&self) -> Vec<(ResourceId, Params)>;

    /// Waits until [`Self::heard`] has values, up to a time limit.
    fn wait(&self, at_most: Duration) -> bool;

    /// Removes the servers and pages of all other resources.
    fn keep_only(&self, is_wanted: &dyn Fn(&ResourceId) -> bool);
}

/// The web, if this machine may use it. Predicting machines have none.
pub trait LookWeb {
    fn web(&self) -> Option<&dyn Web> {
        None
    }
}
