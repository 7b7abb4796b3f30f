//! The kind `print`: prints a message, and changes nothing.

use std::borrow::Cow;

use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::escaped;
use crate::host::{HostError, Look};

/// The kind `print`, which prints a message.
pub struct Print;

/// Returns a message as text. Invalid UTF-8 is escaped.
fn lines_of(message: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(message).map_or_else(|_| escaped(message).into(), Cow::Borrowed)
}

impl Kind for Print {
    fn schema(&self) -> &'static Schema {
        schema("print").expect("the schemas name every built-in kind")
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Checked, HostError> {
        if turn.flag("refresh_only")? && !turn.refresh {
            return Ok(Checked::right().with_note("prints only when notified"));
        }
        let message = match turn.any_bytes("msg") {
            Ok(message) => message.map_or_else(|| turn.name.into(), lines_of),
            Err(error) if error.is_unknown() => {
                return Ok(Checked::right().with_note("prints a value known after apply"));
            }
            Err(error) => return Err(error),
        };
        if turn.is_sensitive("msg") {
            return Ok(Checked::right().with_note("prints a sensitive value (not shown)"));
        }
        let mut seen = Checked::right();
        seen.lines = message.lines().map(str::to_owned).collect();
        Ok(seen)
    }

    fn only_reads(&self) -> bool {
        true
    }
}
