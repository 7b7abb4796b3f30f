//! The kind `kv`: manages a string in the shared store, where `world.getval` and `world.kvlookup` read it.
//!
//! On a machine without a cluster the store is a folder with one private file per key.

use std::path::PathBuf;

use super::edit::Edited;
use super::reader::Reader;
use super::{Checked, Kind, Schema, Turn, kept, schema};
use crate::graph::Value;
use crate::host::{HostError, Look, Operation, Owner};
use crate::plan::{Action, Change, Reversible};
use crate::world::{SECRET_MODE, is_secret_mode, stored_path};

/// The kind `kv`, which manages one string of the shared store.
pub struct Kv;

impl Kind for Kv {
    fn schema(&self) -> &'static Schema {
        schema("kv").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        let style = given.get("skipcmpstyle").and_then(Value::as_int).unwrap_or(0);
        let is_compared = given.is_true("skiplessthan");
        if is_compared && !(0..=1).contains(&style) {
            return Err("`skipcmpstyle` must be 0 (numbers) or 1 (strings)".into());
        }
        match given.text("value").filter(|_| is_compared && style == 0) {
            Some(value) if value.parse::<i64>().is_err() => Err(format!("`value` is `{value}`, which is not a number")),
            _ => Ok(()),
        }
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let key = turn.text("key")?.unwrap_or(turn.name);
        let file = look_up(turn, place(turn, key, turn.flag("mapped")?)?, look)?;
        let Some(wanted) = turn.any_text("value")? else {
            return Ok(if file.is_there() { removed(&file) } else { Checked::right() });
        };
        let Some(have) = &file.content else { return Ok(file.unknown()) };
        if file.is_there() && (**have == *wanted.as_bytes() || stays(turn, have, wanted)?) {
            return Ok(Checked::right());
        }
        stored(turn, &file, wanted.as_bytes().to_vec(), look)
    }

    fn only_reads(&self) -> bool {
        true
    }
}

/// Returns the file of a key.
pub(super) fn place(turn: &Turn, key: &str, mapped: bool) -> Result<PathBuf, HostError> {
    Ok(stored_path(kept::folder(turn)?, key, mapped.then_some(turn.hostname)))
}

/// Inspects the value of a key. A secret is recognised by its read-only file.
pub(super) fn look_up(turn: &Turn, path: PathBuf, look: &dyn Look) -> Result<Edited, HostError> {
    let mut file = Edited::look(turn, path, look)?;
    file.is_secret |= held_secret(&file);
    // All files of the store are private.
    file.is_private = false;
    Ok(file)
}

fn held_secret(file: &Edited) -> bool {
    file.stat.is_some_and(|stat| is_secret_mode(stat.mode))
}

/// Returns the work that replaces the value of a key.
pub(super) fn stored(turn: &Turn, file: &Edited, value: Vec<u8>, look: &dyn Look) -> Result<Checked, HostError> {
    let mode = if turn.params.iter().any(|(_, value)| value.holds_secret()) { SECRET_MODE } else { 0o600 };
    let operations = kept::write_private(&file.path, value.clone(), mode, look)?;
    let mut seen = file.turn_into(Some(value), 0o600, Owner::default());
    seen.changes.retain(|change| change.property != "state");
    seen.changes.iter_mut().for_each(|change| change.property = "value".into());
    seen.operations = operations;
    if held_secret(file) {
        // No journal contains it.
        seen.reversible = Reversible::No;
    }
    Ok(seen)
}

fn removed(file: &Edited) -> Checked {
    let have = match &file.content {
        _ if file.is_secret => Some(Value::Sensitive(Box::new(Value::Null))),
        Some(have) => Some(String::from_utf8_lossy(have).into_owned().as_str().into()),
        None => None,
    };
    Checked {
        action: Action::Remove,
        changes: vec![Change { property: "value".into(), from: have, to: None, sensitive: file.is_secret }],
        operations: vec![Operation::RemoveFile { path: file.path.clone() }],
        reversible: if file.is_secret { Reversible::No } else { Reversible::Yes },
        ..Checked::right()
    }
}

/// Whether a value that is not less stays. A refresh sets it anyway.
fn stays(turn: &Turn, have: &[u8], wanted: &str) -> Result<bool, HostError> {
    if !turn.flag("skiplessthan")? || turn.refresh {
        return Ok(false);
    }
    let have = String::from_utf8_lossy(have);
    if turn.int("skipcmpstyle")?.unwrap_or(0) != 0 {
        return Ok(wanted < &*have);
    }
    let wanted: i64 = wanted.parse().map_err(|_| HostError::Refused(format!("`value` is `{wanted}`, not a number")))?;
    // A value that is not a number is from another use, and is replaced.
    Ok(have.parse::<i64>().is_ok_and(|have| wanted < have))
}
