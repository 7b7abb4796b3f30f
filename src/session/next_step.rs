//! The explanation of the next step, as text for every face: why it is next, whether it can be undone, and the effects
//! of applying and skipping it.

use crate::engine::message::{READY_SHOWN, TurnState};
use crate::graph::ways::Ways;
use crate::graph::{Edge, Graph, NodeIndex, ResourceId};
use crate::plan::{Action, Reversible, Step};
use crate::source::printable;

/// Whether the step's changes describe a command instead of properties.
pub fn is_command(step: &Step) -> bool {
    let has_command = step.changes.iter().any(|change| change.property == "cmd");
    let is_exec = has_command || step.resource.0.starts_with("exec[");
    is_exec && matches!(step.action, Action::Run | Action::Unknown)
}

/// Explains why a resource is next: its requirements with their rules, and its position among the ready resources.
/// `ready` is their number, including this one, as in [`Event::Paused`]; `chosen` says how the user made it next.
///
/// [`Event::Paused`]: crate::engine::message::Event::Paused
pub fn why_next(way: (&Graph, &Ways), node: NodeIndex, ready: usize, chosen: Option<&str>) -> String {
    if let Some(how) = chosen {
        return format!("{}; {how}", needs_are_done(way, node));
    }
    let (graph, ways) = way;
    let needs = ways.causes(graph, node);
    let place = match ready {
        0 | 1 => "the only ready resource".into(),
        READY_SHOWN.. => format!("first of {READY_SHOWN} or more ready resources (in source order)"),
        ready => format!("first of {ready} ready resources (in source order)"),
    };
    format!("{}; {place}", are_done(graph, &needs))
}

/// Explains that all requirements are done, with the rule for each.
pub fn needs_are_done((graph, ways): (&Graph, &Ways), node: NodeIndex) -> String {
    are_done(graph, &ways.causes(graph, node))
}

fn are_done(graph: &Graph, needs: &[&Edge]) -> String {
    match needs.len() {
        0 => "has no dependencies".to_string(),
        1 => format!("{} is done", by_rule(graph, needs[0])),
        _ => format!("{} are done", some_words(needs.iter().map(|edge| by_rule(graph, edge)), 2)),
    }
}

/// Explains what the resource still waits for, with the rules; empty if only its turn is pending.
pub fn waits_for(
    (graph, ways): (&Graph, &Ways),
    node: NodeIndex,
    is_open: impl Fn(&ResourceId) -> bool,
) -> Option<String> {
    let mut needs = ways.causes(graph, node);
    needs.retain(|edge| is_open(graph.node(edge.from).id()));
    (!needs.is_empty()).then(|| some_words(needs.iter().map(|edge| by_rule(graph, edge)), 3))
}

/// Describes an edge: the earlier resource, the rule and its place.
fn by_rule(graph: &Graph, edge: &Edge) -> String {
    let (id, rule) = (graph.node(edge.from).id(), edge.reason.rule());
    match &edge.source {
        Some(place) => format!("{id} ({rule}, {}:{})", printable(&place.file), place.line),
        None => format!("{id} ({rule})"),
    }
}

/// `yes`, `partly` or `no`.
pub fn reversible_word(reversible: Reversible) -> &'static str {
    match reversible {
        Reversible::Yes => "yes",
        Reversible::Partly => "partly",
        Reversible::No => "no",
    }
}

/// The effects of a step on its dependents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follows {
    /// The resources that wait only for this one.
    pub freed: Vec<ResourceId>,
    /// All direct and indirect dependents. They are blocked if this one is skipped or fails.
    pub blocked: Vec<ResourceId>,
    /// A refresh is pending, and is lost if this one is skipped or fails.
    pub refresh: bool,
}

impl Follows {
    /// Returns the effects of a pending step. `state_of` returns the state of any other resource that has a turn.
    pub fn of<'a>(
        (graph, ways): (&Graph, &Ways),
        (node, step): (NodeIndex, &Step),
        state_of: impl Fn(&ResourceId) -> Option<&'a TurnState>,
    ) -> Self {
        let state = |node: NodeIndex| state_of(graph.node(node).id());
        let named = |nodes: Vec<NodeIndex>| nodes.into_iter().map(|node| graph.node(node).id().clone()).collect();
        let freed = match step.error {
            Some(_) => vec![],
            None => named(ways.freed(graph, node, |other| state(other).is_some_and(|state| *state != TurnState::Done))),
        };
        // Skipping an unchanged resource blocks nothing.
        let mut blocked = if step.action == Action::None { vec![] } else { ways.dependents(graph, node) };
        blocked.retain(|other| state(*other) == Some(&TurnState::Waiting));
        Self { freed, blocked: named(blocked), refresh: step.refresh }
    }

    /// Describes the released resources.
    pub fn unblocks(&self) -> String {
        if self.freed.is_empty() { "nothing".to_string() } else { some_of(&self.freed, 3) }
    }

    /// Describes the effect of skipping it, or of its failure.
    pub fn blocks(&self, step: &Step) -> String {
        let words = match self.blocked.len() {
            0 if self.refresh => return "loses its refresh".to_string(),
            0 if step.action == Action::None => "has no effect: unchanged".to_string(),
            0 => "blocks nothing".to_string(),
            n => format!("blocks {n}: {}", some_of(&self.blocked, 2)),
        };
        if self.refresh { format!("loses its refresh, {words}") } else { words }
    }
}

/// Describes the resources that it refreshes when it changes; `None` if there are none. Containers pass a refresh on.
pub fn notifies(step: &Step, is_resource: impl Fn(&ResourceId) -> bool) -> Option<String> {
    let targets: Vec<&ResourceId> = step.notifies.iter().filter(|id| is_resource(id)).collect();
    let names = (!targets.is_empty()).then(|| some_of(targets, 3))?;
    Some(if step.action == Action::None { format!("{names} (only if it changes)") } else { names })
}

/// Lists the first few names and the number of the others.
pub fn some_of<'a>(ids: impl IntoIterator<Item = &'a ResourceId, IntoIter: ExactSizeIterator>, most: usize) -> String {
    some_words(ids.into_iter().map(ToString::to_string), most)
}

fn some_words(all: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = all.len().saturating_sub(most);
    let mut words: Vec<String> = all.take(most).collect();
    words.extend((more > 0).then(|| format!("and {more} more")));
    words.join(", ")
}
