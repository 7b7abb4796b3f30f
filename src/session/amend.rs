//! Another state of a resource, for a run that waits at its failure: what is asked of the run, and why that may not be.

use super::attach::ASKED_CAP;
use super::history::graph_hash;
use super::{Keeping, Session, state_path};
use crate::deploy::StateFolder;
use crate::engine::message::Request;
use crate::graph::{Graph, Resource, ResourceId};

impl Session {
    /// What has a live run want of a resource what a graph says of it, and try that. The graph is checked as for a new run: a
    /// module that nobody approved gets no act into one that was agreed to before.
    pub fn amend_request(&self, graph: &Graph, id: &ResourceId, keeping: &Keeping) -> Result<Request, String> {
        let ours = if keeping.is_for_root() { None } else { keeping.state.as_ref() };
        let state = state_path(ours).map_err(|error| error.to_string())?;
        self.check_trust(graph, &StateFolder::at(&state)).map_err(|error| error.to_string())?;
        let resource = graph.find(id).and_then(|at| graph.resource(at)).ok_or("it is not there any more")?;
        if !crosses_whole(resource) {
            return Err("it holds what cannot be handed over".into());
        }
        Ok(Request::Amend { resource: Box::new(resource.clone()), graph: graph_hash(graph) })
    }
}

/// Whether a resource is the same at the other end of a line, and not too long for it.
fn crosses_whole(resource: &Resource) -> bool {
    let Ok(text) = serde_json::to_vec(resource) else { return false };
    let has_room = (text.len() as u64) < ASKED_CAP / 2;
    has_room && serde_json::from_slice::<Resource>(&text).is_ok_and(|crossed| crossed == *resource)
}
