//! Reversals of resources that leave their program: stored at the first turn, until they are done.
//!
//! `Meta:reverse` requests one. Each is one small file in a folder of the program, so that it outlives the process, and
//! no program reverses the resources of another.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Kind, Turn, kept};
use crate::graph::{Declaration, Graph, Mapping, Meta, Node, Resource, ResourceId};
use crate::host::{Act, HostError, Look, Operation};
use crate::source::hex;

/// The stored reversal of one resource.
#[derive(Serialize, Deserialize)]
struct Reversal {
    id: ResourceId,
    wanted: Declaration,
}

fn place(folder: &Path, id: &ResourceId) -> PathBuf {
    let hash = hex(&Sha256::digest(&*id.0)[..16]);
    folder.join(hash + ".json")
}

/// Whether a resource is to be reversed when it leaves the program.
pub fn is_wanted(resource: &Resource) -> bool {
    resource.meta.reverse()
}

/// Returns the first resource of a graph that stores a reversal, or is one.
pub fn first_in(graph: &Graph) -> Option<&ResourceId> {
    let can = |resource: &Resource| super::kind(&resource.wanted()?.kind).map(|kind| kind.schema().reverse);
    let rests = |resource: &&Resource| is_reversal(resource) || is_wanted(resource) && can(resource) == Some(true);
    graph.resources().map(|(_, resource)| resource).find(rests).map(|resource| &resource.id)
}

/// Whether a resource is the reversal of another.
pub fn is_reversal(resource: &Resource) -> bool {
    resource.meta.reverses()
}

/// Stores the reversal of a resource, from the machine's state before its first turn. An existing one stays.
pub fn keep(folder: &Path, kind: &dyn Kind, turn: &Turn, act: &dyn Act) -> Result<(), HostError> {
    let place = place(folder, turn.id);
    if act.stat(&place)?.is_some() {
        return Ok(());
    }
    let Some(params) = kind.reversed(turn, act)? else { return Ok(()) };
    let wanted = Declaration { kind: kind.schema().kind.into(), name: turn.name.into(), params };
    let bytes = serde_json::to_vec(&Reversal { id: turn.id.clone(), wanted });
    let bytes = bytes.map_err(|error| HostError::Refused(error.to_string()))?;
    kept::put_private(&place, bytes, act)
}

/// Deletes a reversal after it was done.
pub fn forget(folder: &Path, id: &ResourceId, act: &dyn Act) -> Result<(), HostError> {
    let path = place(folder, id);
    match act.stat(&path)? {
        Some(_) => act.perform(&Operation::RemoveFile { path }),
        None => Ok(()),
    }
}

/// Adds the reversals of resources that are no longer in a graph. They have no order.
pub fn add(graph: &mut Graph, folder: &Path, look: &dyn Look) -> Result<(), HostError> {
    if look.stat_target(folder)?.is_none() {
        return Ok(());
    }
    for name in look.list(folder)? {
        let Some(bytes) = look.read(&folder.join(name))? else { continue };
        // A file in another version's format is left for that version.
        let Ok(Reversal { id, wanted }) = serde_json::from_slice::<Reversal>(&bytes) else { continue };
        if graph.find(&id).is_some() {
            continue;
        }
        // Once only: later states of the path are not managed here.
        let mut resource = Resource::declare(id, wanted, Mapping::Same);
        resource.meta = Meta::reversal();
        // The id is not in the graph, as just checked.
        let _ = graph.add(Node::Resource(resource));
    }
    Ok(())
}
