//! The facet of the web: fetching over HTTP, and serving while a run lives.
//!
//! What is served is held by the host and not by a run: a run that follows on the same host, with another graph, brings
//! servers and pages up to date by their resources' ids and takes down what nobody wants any more ([`Web::keep_only`]).
//! Dropping the host closes all. A preview has no web: it neither asks nor binds.

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
    /// Only what is newer: seconds since 1970.
    pub newer_than: Option<i64>,
    pub timeout: Option<Duration>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub status: u16,
    pub body: Arc<[u8]>,
}

/// A server, without its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What pages name it by.
    pub name: String,
    /// Host and port; every interface where it begins with a colon.
    pub address: String,
    /// For one whole request and its answer.
    pub timeout: Option<Duration>,
    /// A folder that is served whole, behind all pages.
    pub root: Option<PathBuf>,
}

/// What a path of a server gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Data(Arc<[u8]>),
    /// A file, or a folder with what is in it.
    Path(PathBuf),
    /// Takes the value of a key from what is posted.
    Flag {
        key: String,
    },
    /// Fetches from elsewhere: takes `sub` off the path and puts `head` before it. Keeps what it got below `cache`.
    Proxy {
        sub: String,
        head: String,
        cache: Option<PathBuf>,
    },
}

/// A path of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The server by name; every one where it is not set.
    pub server: Option<String>,
    pub path: String,
    pub answer: Answer,
}

/// The web as a machine may use it.
pub trait Web: Send + Sync {
    fn fetch(&self, fetch: &Fetch) -> Result<Fetched, HostError>;

    /// Opens a server, or gives the open one of that resource its new settings. One whose address stays goes on.
    fn serve(&self, server: &ResourceId, site: Site) -> Result<(), HostError>;

    /// Puts a page on its server, now or when that is opened.
    fn publish(&self, of: &ResourceId, page: Page);

    /// The value that a flag took last.
    fn taken(&self, flag: &ResourceId) -> Option<Arc<str>>;

    /// What pages took since this was asked the last time: values that their resources now send.
    fn heard(&self) -> Vec<(ResourceId, Params)>;

    /// Waits until there is something to hear, but not longer than that.
    fn wait(&self, at_most: Duration) -> bool;

    /// Takes down what belongs to other resources than these.
    fn keep_only(&self, is_wanted: &dyn Fn(&ResourceId) -> bool);
}

/// The web, where this machine may use it. Machines that only predict have none.
pub trait LookWeb {
    fn web(&self) -> Option<&dyn Web> {
        None
    }
}
