//! Data that a kind remembers between runs: one small file per resource, written through the host like any other.
//!
//! Therefore a preview sees the predicted data of earlier turns. Only the owner may read it, because it contains
//! outputs of commands and passwords. For the same reason the journal stores no before-image of it.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::host::{Act, FileImage, HostError, Look, Operation, Owner};
use crate::source::hex;

use super::Turn;

/// Reads the remembered data. `None` if there is none, or if another version wrote it in another form.
pub(super) fn read<T: DeserializeOwned>(turn: &Turn, kind: &str, look: &dyn Look) -> Result<Option<T>, HostError> {
    let Ok(path) = place(turn, kind) else { return Ok(None) };
    if look.stat(&path)?.is_none() {
        return Ok(None);
    }
    Ok(look.read(&path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Stores data, if it has changed.
pub(super) fn write<T: Serialize>(turn: &Turn, kind: &str, value: &T, act: &dyn Act) -> Result<(), HostError> {
    let path = place(turn, kind)?;
    let bytes = serde_json::to_vec(value).map_err(|error| HostError::Refused(error.to_string()))?;
    if act.stat(&path)?.is_some() && act.read(&path)?.is_some_and(|have| *have == *bytes) {
        return Ok(());
    }
    put_private(&path, bytes, act)
}

/// Writes a private file. Concurrent turns may make its parent folders at the same time.
pub(super) fn put_private(path: &Path, bytes: Vec<u8>, act: &dyn Act) -> Result<(), HostError> {
    for operation in write_private(path, bytes, 0o600, act)? {
        match (act.perform(&operation), &operation) {
            (Err(_), Operation::MakeDir { path, .. }) if act.stat_target(path)?.is_some() => {}
            (done, _) => done?,
        }
    }
    Ok(())
}

/// Returns the operations that write a private file, with its parent folders.
pub(super) fn write_private(
    path: &Path,
    bytes: Vec<u8>,
    mode: u32,
    look: &dyn Look,
) -> Result<Vec<Operation>, HostError> {
    let mut operations = private_folders(path, look)?;
    let image = FileImage { content: Some(bytes.into()), mode, owner: Owner::default() };
    operations.push(Operation::WriteFile { path: path.into(), image });
    Ok(operations)
}

/// Returns the operations that make the missing parent folders, private to the owner.
fn private_folders(path: &Path, look: &dyn Look) -> Result<Vec<Operation>, HostError> {
    let mut missing = Vec::new();
    for folder in path.ancestors().skip(1) {
        if look.stat_target(folder)?.is_some() {
            break;
        }
        missing.push(Operation::MakeDir { path: folder.into(), mode: 0o700, owner: Owner::default() });
    }
    missing.reverse();
    Ok(missing)
}

/// Returns the last change of a resource with a period, in seconds since 1970.
pub fn last_change(turn: &Turn, look: &dyn Look) -> Result<Option<i64>, HostError> {
    let Ok(path) = place_of(turn, SCHEDULES, &turn.id.0) else { return Ok(None) };
    if look.stat(&path)?.is_none() {
        return Ok(None);
    }
    Ok(look.read(&path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Stores the time of a change, for a resource with a period.
pub fn note_change(turn: &Turn, seconds: i64, act: &dyn Act) -> Result<(), HostError> {
    put_private(&place_of(turn, SCHEDULES, &turn.id.0)?, seconds.to_string().into_bytes(), act)
}

const SCHEDULES: &str = "schedules";

/// Returns the file of a resource. Names may be longer than file names and contain any character.
fn place(turn: &Turn, kind: &str) -> Result<PathBuf, HostError> {
    place_of(turn, kind, turn.name)
}

fn place_of(turn: &Turn, kind: &str, name: &str) -> Result<PathBuf, HostError> {
    let state = folder(turn)?;
    let hash = hex(&Sha256::digest(name)[..16]);
    Ok(state.join("kinds").join(kind.replace(':', "-")).join(hash + ".json"))
}

/// Returns the folder where kinds store data that outlives a run.
pub(super) fn folder<'t>(turn: &Turn<'t>) -> Result<&'t Path, HostError> {
    turn.state.ok_or_else(|| {
        HostError::Refused("it needs to save data, but this user has no state folder (is HOME set?)".into())
    })
}
