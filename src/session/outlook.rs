//! What a stop tells of the step that is next, in plain words for every face: why its turn is now, whether it can be taken
//! back, and what follows from taking it and from leaving it out.

use crate::engine::message::{READY_TOLD, TurnState};
use crate::graph::ways::Ways;
use crate::graph::{Graph, NodeIndex, ResourceId};
use crate::plan::{Action, Reversible, Step};

/// Whether what is told are no properties that a step writes, but what it runs.
pub fn is_command(step: &Step) -> bool {
    step.resource.0.starts_with("exec[") && matches!(step.action, Action::Run | Action::Unknown)
}

/// That all it requires had its turn.
pub fn needs_are_done(step: &Step) -> String {
    match step.because.len() {
        0 => "it needs nothing".to_string(),
        1 => format!("{} is done", step.because[0]),
        _ => format!("{} are done", some_of(&step.because, 2)),
    }
}

/// Why it is before the others that could be next; `ready` counts it too, as [`Event::Paused`] tells them.
///
/// [`Event::Paused`]: crate::engine::message::Event::Paused
pub fn first_of(ready: usize) -> String {
    match ready {
        0 | 1 => "nothing else is ready".into(),
        READY_TOLD.. => format!("first in order of {READY_TOLD} or more that are ready"),
        ready => format!("first in order of {ready} that are ready"),
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

/// What a step does to those that wait for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follows {
    /// Those that wait for this one alone.
    pub freed: Vec<ResourceId>,
    /// Those that wait for it, through others too: they are blocked where it is left out, or fails.
    pub blocked: Vec<ResourceId>,
}

impl Follows {
    /// What follows a step that waits for its turn. `state_of` tells where any other resource stands, if it is to have a turn.
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
        // What is right already can be left out without harm.
        let mut blocked = if step.action == Action::None { vec![] } else { ways.dependents(graph, node) };
        blocked.retain(|other| state(*other) == Some(&TurnState::Waiting));
        Self { freed, blocked: named(blocked) }
    }

    /// The names of what is freed.
    pub fn unblocks(&self) -> String {
        if self.freed.is_empty() { "nothing new".to_string() } else { some_of(&self.freed, 3) }
    }

    /// What leaving it out does, or its failure.
    pub fn blocks(&self, step: &Step) -> String {
        match self.blocked.len() {
            0 if step.action == Action::None => "blocks nothing: it is right already".to_string(),
            0 => "blocks nothing".to_string(),
            n => format!("blocks {n}: {}", some_of(&self.blocked, 2)),
        }
    }
}

/// Whom it tells that it changed, so that they are refreshed; nothing where nobody wants to hear of it.
pub fn notifies(step: &Step) -> Option<String> {
    let names = (!step.notifies.is_empty()).then(|| some_of(&step.notifies, 3))?;
    Some(if step.action == Action::None { format!("{names} (only if it changes)") } else { names })
}

/// The first few names, and how many more.
pub fn some_of<'a>(ids: impl IntoIterator<Item = &'a ResourceId, IntoIter: ExactSizeIterator>, most: usize) -> String {
    let ids = ids.into_iter();
    let more = ids.len().saturating_sub(most);
    let mut words: Vec<String> = ids.take(most).map(ToString::to_string).collect();
    words.extend((more > 0).then(|| format!("and {more} more")));
    words.join(", ")
}
