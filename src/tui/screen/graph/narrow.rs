//! Which nodes are shown: those that the words fit, within a path, around a node, or in trouble.

use crate::graph::view::Wiring;
use crate::graph::{Node, NodeIndex, ResourceId};
use crate::plan::{Offered, Query};
use crate::tui::program::Program;
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// What is looked at through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lens {
    #[default]
    All,
    /// What lies on the ways between two.
    Path(ResourceId, ResourceId),
    /// A node with all that it needs.
    Needs(ResourceId),
    /// A node with all that needs it.
    Dependents(ResourceId),
    /// A node with both.
    Related(ResourceId),
    /// What failed, was skipped or is blocked.
    Trouble,
}

impl Lens {
    /// As the pane's title says it.
    pub fn words(&self, arrow: &str) -> Option<String> {
        Some(match self {
            Lens::All => return None,
            Lens::Path(from, to) => format!("path {from} {arrow} {to}"),
            Lens::Needs(id) => format!("what {id} needs"),
            Lens::Dependents(id) => format!("what needs {id}"),
            Lens::Related(id) => format!("only {id} and its own"),
            Lens::Trouble => "in trouble".into(),
        })
    }

    /// The nodes it lets through; nothing where it no longer has anything to go by.
    fn nodes(&self, tui: &Tui, program: &Program) -> Option<Vec<bool>> {
        let wiring: &Wiring = &program.wiring;
        let find = |id: &ResourceId| program.graph.find(id).map(|node| node.0);
        match self {
            Lens::All => None,
            Lens::Path(from, to) => wiring.between(find(from)?, find(to)?),
            Lens::Needs(id) => Some(wiring.reach(find(id)?, false)),
            Lens::Dependents(id) => Some(wiring.reach(find(id)?, true)),
            Lens::Related(id) => {
                let node = find(id)?;
                let (before, after) = (wiring.reach(node, false), wiring.reach(node, true));
                Some(before.iter().zip(&after).map(|(before, after)| *before || *after).collect())
            }
            Lens::Trouble => Some(program.graph.nodes().map(|node| tui.step.is_troubled(node.id())).collect()),
        }
    }
}

/// The nodes that are shown; `None` for all.
pub fn shown(tui: &Tui, program: &Program) -> Option<Vec<bool>> {
    let (lens, words) = (tui.graph.lens(), &tui.graph.words);
    let mut shown = lens.nodes(tui, program);
    if !words.is_empty() {
        let fits = fits(tui, words);
        let all = shown.get_or_insert_with(|| vec![true; program.graph.len()]);
        for (is_shown, node) in all.iter_mut().zip(program.graph.nodes()) {
            *is_shown = *is_shown && fits(node);
        }
    }
    shown
}

/// How nodes are held against the words of a query.
fn fits<'a>(tui: &'a Tui, words: &str) -> impl Fn(&Node) -> bool + 'a {
    let query = Query::typed(words).unwrap_or_default();
    move |node| match node {
        Node::Resource(resource) => {
            let (action, state) = (tui.step.action_of(&resource.id), tui.step.state_word(&resource.id));
            let is_stale = tui.step.stale.words(&resource.id).is_some();
            query.fits(&Offered { action, state: Some(state), is_stale, ..Offered::resource(resource) })
        }
        Node::Anchor(anchor) => query.fits(&Offered::text(&anchor.id.0)),
    }
}

/// The name of a node for messages.
pub fn name(program: &Program, node: NodeIndex) -> String {
    text::safe(&program.id(node).0)
}
