//! The kind `value`: holds a value, and passes it on.

use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{HostError, Look};

/// The kind `value`, which holds a value and sends it along its edges.
pub struct ValueKind;

impl Kind for ValueKind {
    fn schema(&self) -> &'static Schema {
        schema("value").expect("the schemas name every built-in kind")
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Checked, HostError> {
        let mut seen = Checked::right();
        if let Some(value) = turn.params.get("any") {
            seen.sends.set("any", value.clone());
        }
        Ok(seen)
    }

    fn only_reads(&self) -> bool {
        true
    }
}
