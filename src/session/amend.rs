//! Another state of a resource, for a run that waits at its failure: whether an edit comes to no more than that, what is asked of the
//! run, and why that may not be.

use std::collections::BTreeSet;

use super::attach::ASKED_CAP;
use super::history::graph_hash;
use super::{Keeping, Session, state_path};
use crate::deploy::StateFolder;
use crate::engine::amendment;
use crate::engine::message::Request;
use crate::graph::delta::{Delta, Fate, has_same_places};
use crate::graph::{Graph, Resource, ResourceId};
use crate::plan::Change;

/// What an edit wants otherwise of the resource that failed, where that can be tried within the deploy; nothing where more differs
/// between the graphs than what is wanted of it.
pub fn amendment_within(old: &Graph, new: &Graph, delta: &Delta, id: &ResourceId) -> Option<Vec<Change>> {
    let resource = |graph: &Graph| graph.resource(graph.find(id)?).cloned();
    let may_be = is_alone(delta, id) && has_same_places(old, new);
    may_be.then(|| amendment(&resource(old)?, &resource(new)?)).flatten()
}

/// What an edit wants otherwise of what failed, where that can be tried within the deploy, one after another; nothing where more
/// differs than that.
pub fn amended_failures(
    old: &Graph,
    new: &Graph,
    delta: &Delta,
    failed: &BTreeSet<ResourceId>,
) -> Option<Vec<ResourceId>> {
    let resource = |graph: &Graph, id: &ResourceId| graph.resource(graph.find(id)?).cloned();
    let can_be_tried = |id: &ResourceId| amendment(&resource(old, id)?, &resource(new, id)?);
    let is_one =
        |(id, fate): &(ResourceId, Fate)| *fate == Fate::Changed && failed.contains(id) && can_be_tried(id).is_some();
    let may_be = !delta.edges && has_same_places(old, new) && delta.resources.iter().all(is_one);
    may_be.then(|| delta.resources.iter().map(|(id, _)| id.clone()).collect())
}

/// The new graph, but some resources as the old one has them.
pub fn without_edits(old: &Graph, new: &Graph, of: &[ResourceId]) -> Graph {
    let mut graph = new.clone();
    for id in of {
        if let (Some(from), Some(to)) = (old.find(id), graph.find(id)) {
            *graph.node_mut(to) = old.node(from).clone();
        }
    }
    graph
}

/// Whether nothing but this one differs.
pub fn is_alone(delta: &Delta, id: &ResourceId) -> bool {
    !delta.edges && matches!(&delta.resources[..], [(only, Fate::Changed)] if only == id)
}

/// What differs between two graphs, a line each; of many the first ones.
pub fn differing_lines(delta: &Delta) -> Vec<String> {
    const MOST: usize = 10;
    let line = |(id, fate): &(ResourceId, Fate)| {
        let sign = match fate {
            Fate::Added => "+",
            Fate::Changed => "~",
            Fate::Removed => "-",
        };
        format!("  {sign} {id}")
    };
    let mut lines: Vec<String> = delta.resources.iter().take(MOST).map(line).collect();
    if delta.resources.len() > MOST {
        lines.push(format!("  and {} more", delta.resources.len() - MOST));
    }
    if delta.edges {
        lines.push("  and another order".into());
    }
    lines
}

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
