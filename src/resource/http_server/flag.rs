//! The kind `http:server:flag`: a path of a server that receives a value, and sends it.

use super::super::reader::Reader;
use super::super::validate::serve::rooted;
use super::publish;
use crate::graph::{Params, Value};
use crate::host::{Act, Answer, HostError, Look};
use crate::resource::{Checked, Kind, Schema, Turn, schema};

/// The kind `http:server:flag`, a path of a server that receives a value and sends it along its edges.
pub struct HttpServerFlag;

impl Kind for HttpServerFlag {
    fn schema(&self) -> &'static Schema {
        schema("http:server:flag").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        rooted("path", given.or_name("path"))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let mut seen = Checked::right();
        if let Some(value) = look.web().and_then(|web| web.taken(turn.id)) {
            seen.sends = Params::from_iter([("value".into(), Value::Str(value))]);
        }
        Ok(seen)
    }

    fn hold(&self, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
        let key = turn.text("key")?.unwrap_or_default().to_owned();
        publish(turn, act, turn.text("path")?.unwrap_or(turn.name), Answer::Flag { key })
    }
}
