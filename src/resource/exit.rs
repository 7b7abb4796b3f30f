//! The kind `exit`: ends the program with a code, after all other resources of the run.

use super::kind::change;
use super::reader::Reader;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::{Resource, Value};
use crate::host::{HostError, Look};
use crate::plan::Action;

/// The kind `exit`, which ends the program with an exit code.
pub struct Exit;

impl Kind for Exit {
    fn schema(&self) -> &'static Schema {
        schema("exit").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        match given.get("code").and_then(Value::as_int) {
            Some(code) if !(0..=125).contains(&code) => Err(format!("`code` is {code}; it must be from 0 to 125")),
            _ => Ok(()),
        }
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Checked, HostError> {
        let code = turn.int("code")?.unwrap_or_default();
        let changes = vec![change("code", None, Some(code.to_string()))];
        Ok(Checked { action: Action::Run, changes, ..Checked::right() }
            .with_note("exits when all other resources are done"))
    }

    /// It always requests the exit.
    fn converges(&self) -> bool {
        false
    }
}

/// Returns the exit code of a resource; `None` for other kinds.
pub fn exit_code(resource: &Resource) -> Option<u8> {
    let wanted = resource.wanted().filter(|wanted| &*wanted.kind == "exit")?;
    u8::try_from(wanted.params.get("code").and_then(Value::as_int).unwrap_or_default()).ok()
}
