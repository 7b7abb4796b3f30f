//! The kind `timer`: fires an event at each interval while a run watches. An apply takes one turn and has nothing to
//! do.

use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{HostError, Look};

/// The kind `timer`, which fires an event at each interval while a run watches.
pub struct Timer;

impl Kind for Timer {
    fn schema(&self) -> &'static Schema {
        schema("timer").expect("the schemas name every built-in kind")
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Checked, HostError> {
        let interval = turn.int("interval")?.unwrap_or(0);
        Ok(Checked::right().with_note(format!("sends an event every {interval} s, only in `workbench run`")))
    }
}
