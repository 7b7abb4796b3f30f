//! Edits of a failed resource during a run: whether they may be retried in the same deploy, and the request for it.

use crate::deploy::StateFolder;
use crate::engine::amendment;
use crate::engine::message::Request;
use crate::graph::delta::{Delta, Fate, has_same_places};
use crate::graph::{Graph, Resource, ResourceId};
use crate::plan::Change;
use crate::session::attach::ASKED_CAP;
use crate::session::history::graph_hash;
use crate::session::{Keeping, Session, state_path};

/// The scope of an edit, for a run that waits at failures.
pub enum Edited {
    /// The parameters of the resource to retry have changed.
    Within(Edit),
    /// Only the parameters of other failed resources have changed.
    Beside(Vec<ResourceId>),
    /// More has changed. That needs a new deploy.
    Otherwise,
}

/// An edit that can be retried within the deploy.
pub struct Edit {
    /// The run's graph with only this edit.
    pub says: Graph,
    pub changes: Vec<Change>,
    /// Other failed resources with edits. Each is retried separately.
    pub beside: Vec<ResourceId>,
}

/// Returns the scope of an edit for a failed resource, from the difference between the run's graph and the new one.
pub fn edited(
    old: &Graph,
    new: &Graph,
    delta: &Delta,
    failed: impl Fn(&ResourceId) -> bool,
    id: &ResourceId,
) -> Edited {
    let Some(all) = amended_failures(old, new, delta, failed) else { return Edited::Otherwise };
    let (own, beside): (Vec<_>, Vec<_>) = all.into_iter().partition(|(other, _)| other == id);
    let beside: Vec<ResourceId> = beside.into_iter().map(|(id, _)| id).collect();
    match own.into_iter().next() {
        Some((_, changes)) => Edited::Within(Edit { says: without_edits(old, new, &beside), changes, beside }),
        None => Edited::Beside(beside),
    }
}

/// Returns the changed parameters of failed resources, if they can be retried within the deploy; `None` if more has
/// changed.
fn amended_failures(
    old: &Graph,
    new: &Graph,
    delta: &Delta,
    failed: impl Fn(&ResourceId) -> bool,
) -> Option<Vec<(ResourceId, Vec<Change>)>> {
    let resource = |graph: &Graph, id: &ResourceId| graph.resource(graph.find(id)?).cloned();
    let tried = |(id, fate): &(ResourceId, Fate)| {
        let may_be = *fate == Fate::Changed && failed(id);
        let changes = may_be.then(|| amendment(&resource(old, id)?, &resource(new, id)?)).flatten()?;
        Some((id.clone(), changes))
    };
    let may_be = !delta.edges && has_same_places(old, new);
    may_be.then(|| delta.resources.iter().map(tried).collect()).flatten()
}

/// Returns the new graph with some resources as in the old one.
fn without_edits(old: &Graph, new: &Graph, of: &[ResourceId]) -> Graph {
    let mut graph = new.clone();
    for id in of {
        if let (Some(from), Some(to)) = (old.find(id), graph.find(id)) {
            *graph.node_mut(to) = old.node(from).clone();
        }
    }
    graph
}

/// Whether only this resource differs.
pub fn is_alone(delta: &Delta, id: &ResourceId) -> bool {
    !delta.edges && matches!(&delta.resources[..], [(only, Fate::Changed)] if only == id)
}

/// Describes the first differences between two graphs, one per line.
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
        lines.push("  the order changes".into());
    }
    lines
}

impl Session {
    /// Returns the request to replace a resource's parameters in a live run and retry it. The graph is checked as for a
    /// new run: an unapproved module must not enter an approved run.
    pub fn amend_request(&self, graph: &Graph, id: &ResourceId, keeping: &Keeping) -> Result<Request, String> {
        let ours = if keeping.is_for_root() { None } else { keeping.state.as_ref() };
        let state = state_path(ours).map_err(|error| error.to_string())?;
        self.check_trust(graph, &StateFolder::at(&state)).map_err(|error| error.to_string())?;
        let resource = graph.find(id).and_then(|at| graph.resource(at)).ok_or("it is no longer declared")?;
        if !crosses_whole(resource) {
            return Err("it contains values that cannot be passed to the apply process".into());
        }
        Ok(Request::Amend { resource: Box::new(resource.clone()), graph: graph_hash(graph) })
    }
}

/// Whether a resource survives the transfer to another process unchanged, within the size limit.
fn crosses_whole(resource: &Resource) -> bool {
    let Ok(text) = serde_json::to_vec(resource) else { return false };
    let has_room = (text.len() as u64) < ASKED_CAP / 2;
    has_room && serde_json::from_slice::<Resource>(&text).is_ok_and(|crossed| crossed == *resource)
}
