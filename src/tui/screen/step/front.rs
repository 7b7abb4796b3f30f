//! What is under the cursor of Plan.

use super::State;
use crate::graph::NodeIndex;
use crate::source::Place;
use crate::tui::front::Front;
use crate::tui::keymap::{Enabled, When, has_plan, has_resource, has_source, when};
use crate::tui::screen::{Listed, Selection};

impl Selection for State {
    fn list(&self) -> Option<&dyn Listed> {
        Some(&self.list)
    }

    fn resources(&self, _: Front<'_>) -> Vec<NodeIndex> {
        let Some(program) = self.program() else { return vec![] };
        self.cursor_id().and_then(|id| program.graph.find(id)).into_iter().collect()
    }

    fn place(&self, front: Front<'_>) -> Option<Place> {
        if front.cx.cannot_plan(self) {
            return front.cx.programs.newest.as_ref()?.first_error_place().cloned();
        }
        self.program()?.graph.resource(front.resource()?)?.source.clone()
    }

    fn copy(&self, _: Front<'_>) -> Option<String> {
        self.cursor_id().map(|id| id.0.to_string())
    }

    fn enabled(&self, condition: When, front: Front<'_>) -> Enabled {
        match condition {
            When::CanCompare => {
                has_plan(front)?;
                when(self.live.may_be_compared(), "no earlier deploy of this module to compare with")
            }
            When::CanOpen | When::CanGoRight if front.cx.cannot_plan(self) => has_source(front),
            When::CanOpen | When::CanGoRight => has_plan(front),
            When::CanShowRelated => has_resource(front),
            When::CanFold => {
                when(!self.list.is_empty(), "no steps")?;
                when(self.list.words().is_empty(), "a filter shows its rows without folds; Esc clears it")
            }
            _ => front.enabled_anywhere(condition),
        }
    }
}
