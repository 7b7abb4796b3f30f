//! The kind `http:server:file`: a path of a server that returns data, a file or a folder.

use std::path::{Path, PathBuf};

use super::super::reader::{Reader, absolute};
use super::publish;
use crate::host::{Act, Answer, HostError, Look};
use crate::resource::{Checked, Kind, Schema, Turn, schema};

/// The kind `http:server:file`, a path of a server that returns data, a file or a folder.
pub struct HttpServerFile;

impl Kind for HttpServerFile {
    fn schema(&self) -> &'static Schema {
        schema("http:server:file").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        given.not_both("path", "data")?;
        let Some(path) = given.filled("path") else { return Ok(()) };
        absolute("path", path)?;
        if given.is_true("longpoll") && path.ends_with('/') {
            return Err("`longpoll` is only for files, but `path` is a folder".into());
        }
        Ok(())
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        turn.any_bytes("data")?;
        match turn.text("path")? {
            Some(path) if look.stat_target(Path::new(path))?.is_none() => {
                Err(HostError::Missing { path: PathBuf::from(path) })
            }
            _ => Ok(Checked::right()),
        }
    }

    fn hold(&self, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
        let answer = match turn.text("path")? {
            Some(path) => Answer::Path(path.into()),
            None => Answer::Data(turn.any_bytes("data")?.unwrap_or_default().into()),
        };
        publish(turn, act, turn.text("filename")?.unwrap_or(turn.name), answer)
    }
}
