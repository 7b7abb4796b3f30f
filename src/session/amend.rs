//! Another state of a resource, for a run that waits at its failure: whether an edit comes to no more than that, what is asked of the
//! run, and why that may not be.

use super::attach::ASKED_CAP;
use super::history::graph_hash;
use super::{Keeping, Session, state_path};
use crate::deploy::StateFolder;
use crate::engine::amendment;
use crate::engine::message::Request;
use crate::graph::delta::{Delta, Fate, has_same_places};
use crate::graph::{Graph, Resource, ResourceId};
use crate::plan::Change;

/// What an edit comes to for a run that waits at failures.
pub enum Edited {
    /// What is wanted of the one that is to be tried again differs.
    Within(Edit),
    /// That does not differ; what is wanted of others that failed does.
    Beside(Vec<ResourceId>),
    /// More differs: that is for another deploy.
    Otherwise,
}

/// What can be tried within the deploy.
pub struct Edit {
    /// Nothing else differs in it from what the run goes by.
    pub says: Graph,
    pub changes: Vec<Change>,
    /// Others that failed and were edited too: each is tried by itself.
    pub beside: Vec<ResourceId>,
}

/// What an edit comes to for one of those that failed, by what differs between the graph that the run goes by and the new one.
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

/// What an edit wants otherwise of what failed, where that can be tried within the deploy, one after another; nothing where more
/// differs than that.
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

/// The new graph, but some resources as the old one has them.
fn without_edits(old: &Graph, new: &Graph, of: &[ResourceId]) -> Graph {
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
        lines.push("  the order changes".into());
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
        let resource = graph.find(id).and_then(|at| graph.resource(at)).ok_or("it is no longer declared")?;
        if !crosses_whole(resource) {
            return Err("it contains values that cannot be passed to the apply process".into());
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
