//! The kind `http:server`: serves its pages for the lifetime of the run.
//!
//! Nothing on the machine changes, so a turn is always unchanged. Its effect is to keep the server open. A one-shot
//! apply closes it after all other resources.

mod file;
mod flag;
mod proxy;

use std::path::PathBuf;
use std::time::Duration;

use super::reader::Reader;
use super::validate::serve;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{Act, Answer, HostError, Look, Page, Site};

pub use file::HttpServerFile;
pub use flag::HttpServerFlag;
pub use proxy::HttpServerProxy;

/// The kind `http:server`, which serves its pages for the lifetime of the run.
pub struct HttpServer;

impl Kind for HttpServer {
    fn schema(&self) -> &'static Schema {
        schema("http:server").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        serve::listens(given.or_name("address"))?;
        given.filled("root").map_or(Ok(()), |root| serve::folder("root", root))
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Checked, HostError> {
        let site = site(turn)?;
        Ok(Checked::right().with_note(format!("serves {} while workbench runs", site.address)))
    }

    fn hold(&self, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
        match act.web() {
            Some(web) => web.serve(turn.id, site(turn)?),
            None => Ok(()),
        }
    }
}

fn site(turn: &Turn) -> Result<Site, HostError> {
    let timeout = match turn.int("timeout")? {
        Some(seconds) => Some(seconds),
        // The two limits add up, because one limit covers a request and its answer.
        None => {
            turn.int("read_timeout")?.zip(turn.int("write_timeout")?).map(|(read, write)| read.saturating_add(write))
        }
    };
    Ok(Site {
        name: turn.name.to_owned(),
        address: turn.text("address")?.unwrap_or(turn.name).to_owned(),
        timeout: timeout.and_then(|seconds| u64::try_from(seconds).ok()).filter(|s| *s > 0).map(Duration::from_secs),
        root: turn.text("root")?.map(PathBuf::from),
    })
}

/// Adds a page of this resource to its server.
fn publish(turn: &Turn, act: &dyn Act, path: &str, answer: Answer) -> Result<(), HostError> {
    if let Some(web) = act.web() {
        let server = turn.text("server")?.map(str::to_owned);
        web.publish(turn.id, Page { server, path: path.to_owned(), answer });
    }
    Ok(())
}
