//! The kind `test`: takes a value of each type, sends two, and changes nothing.

use std::time::{Duration, Instant};

use super::reader::Reader;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::Value;
use crate::host::{HostError, Look};

/// The kind `test`, which accepts a value of each type and changes nothing.
pub struct Test;

impl Kind for Test {
    fn schema(&self) -> &'static Schema {
        schema("test").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        if given.is_true("validatebool") {
            return Err("`validatebool` is true, which asks for this error".into());
        }
        match given.text("validateerror") {
            None | Some("") => Ok(()),
            Some(error) => Err(error.to_owned()),
        }
    }

    fn check(&self, turn: &Turn, _look: &dyn Look) -> Result<Checked, HostError> {
        if turn.params.get("expectrecv").is_some() {
            let expected = turn.texts("expectrecv")?;
            if expected.len() != turn.received.len() {
                let (have, want) = (turn.received.len(), expected.len());
                return Err(HostError::Refused(format!("{have} parameters received a value, expected {want}")));
            }
        }
        if let Some(wait @ 1..) = turn.int("waitforerror")? {
            fail_after(turn, Duration::from_millis(wait.unsigned_abs()))?;
        }
        let mut seen = Checked::right();
        if let Some(value) = turn.params.get("sendvalue") {
            seen.sends.set("hello", value.clone());
        }
        seen.sends.set("answer", Value::Int(42));
        Ok(seen)
    }
}

/// Waits, unless the turn's time is up or the run is stopped, and fails.
fn fail_after(turn: &Turn, wait: Duration) -> Result<(), HostError> {
    let begun = Instant::now();
    let wait = turn.timeout().map_or(wait, |timeout| wait.min(timeout));
    while begun.elapsed() < wait && !turn.cancel.is_cancelled() {
        std::thread::sleep(Duration::from_millis(5).min(wait));
    }
    Err(HostError::Refused("`waitforerror` asks for this error".into()))
}
