//! What is under the cursor of Graph.

use super::State;
use crate::graph::{Node, NodeIndex};
use crate::source::Place;
use crate::tui::front::Front;
use crate::tui::keymap::{Enabled, When, when};
use crate::tui::screen::{Listed, Selection, bare};

impl Selection for State {
    fn list(&self) -> Option<&dyn Listed> {
        Some(&self.list)
    }

    fn resources(&self, _: Front<'_>) -> Vec<NodeIndex> {
        self.selected_all()
    }

    fn name(&self, front: Front<'_>) -> Option<String> {
        Some(bare(front.cx.graphed()?, self.selected()?))
    }

    fn place(&self, front: Front<'_>) -> Option<Place> {
        match front.cx.graphed()?.graph.node(self.selected()?) {
            Node::Resource(resource) => resource.source.clone(),
            Node::Anchor(anchor) => anchor.source.clone(),
        }
    }

    fn copy(&self, front: Front<'_>) -> Option<String> {
        Some(front.cx.graphed()?.id(self.selected()?).0.to_string())
    }

    fn enabled(&self, condition: When, front: Front<'_>) -> Enabled {
        match condition {
            When::CanSave | When::CanShowRelated | When::CanFold => when(self.selected().is_some(), "no resource here"),
            When::CanOpen | When::CanGoRight => when(!self.list.is_empty(), "no rows"),
            _ => front.enabled_anywhere(condition),
        }
    }
}
