//! The kind `http:server:proxy`: a path of a server that fetches from another server and caches the answer.

use super::publish;
use crate::host::{Act, Answer, HostError, Look};
use crate::resource::{Kind, Schema, Seen, Turn, schema};

pub struct HttpServerProxy;

impl Kind for HttpServerProxy {
    fn schema(&self) -> &'static Schema {
        schema("http:server:proxy").expect("the schemas name every built-in kind")
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Seen, HostError> {
        match turn.text("head")? {
            Some(_) => Ok(Seen::right()),
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
