//! What takes a resource back that leaves its program: kept from its first turn on, until it was done.
//!
//! `Meta:reverse` asks for it. One small file for each resource, in a folder for the program, so that it outlives the
//! process, and no program takes back what another one described.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Kind, Turn, kept};
use crate::graph::{Declaration, Graph, Mapping, Meta, Node, Resource, ResourceId};
use crate::host::{Act, HostError, Look, Operation};

/// What is kept of one resource.
#[derive(Serialize, Deserialize)]
struct Kept {
    id: ResourceId,
    wanted: Declaration,
}

fn place(folder: &Path, id: &ResourceId) -> PathBuf {
    let hash: String = Sha256::digest(&*id.0).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    folder.join(hash + ".json")
}

/// Whether a resource is to be taken back when it leaves the program.
pub fn is_wanted(resource: &Resource) -> bool {
    resource.meta.reverse()
}

/// The first of a graph that keeps what takes it back, or takes another back.
pub fn first_in(graph: &Graph) -> Option<&ResourceId> {
    let can = |resource: &Resource| super::kind(&resource.wanted()?.kind).map(|kind| kind.schema().reverse);
    let rests = |resource: &&Resource| is_reversal(resource) || is_wanted(resource) && can(resource) == Some(true);
    graph.resources().map(|(_, resource)| resource).find(rests).map(|resource| &resource.id)
}

/// Whether a resource is there to take another back.
pub fn is_reversal(resource: &Resource) -> bool {
    resource.meta.reverses()
}

/// Keeps what takes a resource back, as the machine is before its first turn. What was kept before stays.
pub fn keep(folder: &Path, kind: &dyn Kind, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
    let place = place(folder, turn.id);
    if act.stat(&place)?.is_some() {
        return Ok(());
    }
    let Some(params) = kind.reversed(turn, act)? else { return Ok(()) };
    let wanted = Declaration { kind: kind.schema().kind.into(), name: turn.name.into(), params };
    let bytes = serde_json::to_vec(&Kept { id: turn.id.clone(), wanted });
    let bytes = bytes.map_err(|error| HostError::Refused(error.to_string()))?;
    kept::put_private(&place, bytes, act)
}

/// Forgets what was kept, once it was done.
pub fn forget(folder: &Path, id: &ResourceId, act: &dyn Act) -> Result<(), HostError> {
    let path = place(folder, id);
    match act.stat(&path)? {
        Some(_) => Operation::RemoveFile { path }.perform(act),
        None => Ok(()),
    }
}

/// Adds to a graph what takes back those that are in it no more. Nothing orders them.
pub fn add(graph: &mut Graph, folder: &Path, look: &dyn Look) -> Result<(), HostError> {
    if look.stat_target(folder)?.is_none() {
        return Ok(());
    }
    for name in look.list(folder)? {
        let Some(bytes) = look.read(&folder.join(name))? else { continue };
        // What another version wrote in another way is left for that one.
        let Ok(Kept { id, wanted }) = serde_json::from_slice::<Kept>(&bytes) else { continue };
        if graph.find(&id).is_some() {
            continue;
        }
        // Done once: what comes to be there afterwards is nobody's here.
        let mut resource = Resource::declare(id, wanted, Mapping::Same);
        resource.meta = Meta::reversal();
        // None of that id is there, as was just looked up.
        let _ = graph.add(Node::Resource(resource));
    }
    Ok(())
}
