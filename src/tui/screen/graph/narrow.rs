//! The visible nodes: those that match the words, or those around a node.

use crate::graph::Node;
use crate::graph::view::Wiring;
use crate::plan::{Action, Offered, Query};
use crate::tui::program::Program;
pub use crate::tui::screen::graph::data::Lens;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;

impl Lens {
    /// Its text in the pane's title.
    pub fn words(&self) -> Option<String> {
        match self {
            Lens::All => None,
            Lens::Related(id) => Some(format!("only related to {id}")),
        }
    }

    /// The nodes that pass; `None` if its node no longer exists.
    fn nodes(&self, program: &Program) -> Option<Vec<bool>> {
        let wiring: &Wiring = &program.wiring;
        match self {
            Lens::All => None,
            Lens::Related(id) => {
                let node = program.graph.find(id)?.0;
                let (before, after) = (wiring.reach(node, false), wiring.reach(node, true));
                Some(before.iter().zip(&after).map(|(before, after)| *before || *after).collect())
            }
        }
    }
}

/// The visible nodes; `None` for all.
pub fn shown(graph: &Graph, step: &Step, program: &Program, words: &str) -> Option<Vec<bool>> {
    let mut shown = graph.lens().nodes(program);
    if !words.is_empty() {
        let fits = fits(step, words);
        let all = shown.get_or_insert_with(|| vec![true; program.graph.len()]);
        for (is_shown, node) in all.iter_mut().zip(program.graph.nodes()) {
            *is_shown = *is_shown && fits(node);
        }
    }
    shown
}

/// Matches nodes against a query.
fn fits<'a>(step: &'a Step, words: &str) -> impl Fn(&Node) -> bool + 'a {
    let query = Query::typed(words).unwrap_or_default();
    move |node| match node {
        Node::Resource(resource) => {
            let (action, state) = (step.action_of(&resource.id), step.state_word(&resource.id));
            let is_unchanged = !step.is_refreshed(&resource.id);
            let action = action.filter(|action| *action != Action::None || is_unchanged);
            let is_stale = step.stale.words(&resource.id).is_some();
            query.fits(&Offered { action, state: Some(state), is_stale, ..Offered::resource(resource) })
        }
        Node::Anchor(anchor) => query.fits(&Offered::text(&anchor.id.0)),
    }
}
