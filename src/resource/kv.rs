//! The kind `kv`: keeps a string in the shared store, where `world.getval` and `world.kvlookup` read it.
//!
//! A single machine shares with itself alone: the store is a folder, one private file for each key.

use std::path::PathBuf;

use super::edit::Edited;
use super::kind::change;
use super::{Kind, Schema, Seen, Turn, kept, schema};
use crate::host::{HostError, Look, Operation, Owner};
use crate::plan::Action;
use crate::world::stored_path;

pub struct Kv;

impl Kind for Kv {
    fn schema(&self) -> &'static Schema {
        schema("kv").expect("the schemas name every built-in kind")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Seen, HostError> {
        let key = turn.text("key")?.unwrap_or(turn.name);
        let file = Edited::look(turn, place(turn, key, turn.flag("mapped")?)?, look)?;
        let Some(wanted) = turn.any_text("value")? else {
            return Ok(if file.is_there() { removed(&file) } else { Seen::right() });
        };
        let Some(have) = &file.content else { return Ok(file.unknown()) };
        if file.is_there() && (**have == *wanted.as_bytes() || stays(turn, have, wanted)?) {
            return Ok(Seen::right());
        }
        stored(&file, wanted.as_bytes().to_vec(), look)
    }
}

/// The file of a key.
pub(super) fn place(turn: &Turn, key: &str, mapped: bool) -> Result<PathBuf, HostError> {
    Ok(stored_path(kept::folder(turn)?, key, mapped.then_some(turn.hostname)))
}

/// Puts a value in the place of what a key holds.
pub(super) fn stored(file: &Edited, value: Vec<u8>, look: &dyn Look) -> Result<Seen, HostError> {
    let operations = kept::write_private(&file.path, value.clone(), look)?;
    let mut seen = file.turn_into(Some(value), 0o600, Owner::default());
    seen.changes.retain(|change| change.property != "state");
    seen.changes.iter_mut().for_each(|change| change.property = "value".into());
    seen.operations = operations;
    Ok(seen)
}

fn removed(file: &Edited) -> Seen {
    let have = file.content.as_ref().map(|have| String::from_utf8_lossy(have).into_owned());
    Seen {
        action: Action::Remove,
        changes: vec![change("value", have, None)],
        operations: vec![Operation::RemoveFile { path: file.path.clone() }],
        ..Seen::right()
    }
}

/// Whether a value that is not less is left alone. A refresh sets it all the same.
fn stays(turn: &Turn, have: &[u8], wanted: &str) -> Result<bool, HostError> {
    if !turn.flag("skiplessthan")? || turn.refresh {
        return Ok(false);
    }
    let have = String::from_utf8_lossy(have);
    if turn.int("skipcmpstyle")?.unwrap_or(0) != 0 {
        return Ok(wanted < &*have);
    }
    let wanted: i64 = wanted.parse().map_err(|_| HostError::Refused(format!("`value` is `{wanted}`, not a number")))?;
    // What is no number is from another time, and is written over.
    Ok(have.parse::<i64>().is_ok_and(|have| wanted < have))
}
