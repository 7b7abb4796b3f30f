//! The kind `http:server:proxy`: a path of a server that fetches from another server and caches the answer.

use super::super::reader::Reader;
use super::super::validate::serve::{folder, rooted};
use super::super::validate::url;
use super::publish;
use crate::host::{Act, Answer, HostError, Look};
use crate::resource::{Checked, Kind, Schema, Turn, schema};

/// The kind `http:server:proxy`, a path of a server that forwards to another server and caches its responses.
pub struct HttpServerProxy;

impl Kind for HttpServerProxy {
    fn schema(&self) -> &'static Schema {
        schema("http:server:proxy").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        rooted("path", given.or_name("path"))?;
        for param in ["sub", "cache"] {
            given.filled(param).map_or(Ok(()), |path| folder(param, path))?;
        }
        match given.filled("head") {
            Some(head) if !head.ends_with('/') => Err("`head` must end in a slash".into()),
            Some(head) => url::parse_any(head).map(drop).map_err(|why| format!("`head` is `{head}`, which {why}")),
            None => Ok(()),
        }
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Checked, HostError> {
        match turn.text("head")? {
            Some(_) => Ok(Checked::right()),
            None => Err(HostError::Refused("`head` is required: the URL to fetch from".into())),
        }
    }

    fn hold(&self, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
        let answer = Answer::Proxy {
            sub: turn.text("sub")?.unwrap_or_default().to_owned(),
            head: turn.text("head")?.unwrap_or_default().to_owned(),
            cache: turn.text("cache")?.map(Into::into),
        };
        publish(turn, act, turn.text("path")?.unwrap_or(turn.name), answer)
    }
}
