//! What is under the cursor of Log.

use super::State;
use crate::graph::{NodeIndex, ResourceId};
use crate::tui::front::Front;
use crate::tui::keymap::{Enabled, When, has_resource, has_source, when};
use crate::tui::screen::{Screen, bare};

impl Screen for State {
    fn words(&self) -> &str {
        self.list.words()
    }

    fn filter_keys(&self) -> &'static [&'static str] {
        &["level", "resource", "kind"]
    }

    fn filter_example(&self) -> &'static str {
        "words, level:problems, resource:nginx, kind:file, !work"
    }

    fn has_rows(&self) -> bool {
        self.len() > 0
    }

    fn resources(&self, front: Front<'_>) -> Vec<NodeIndex> {
        let Some((id, program)) = self.resource().zip(front.cx.graphed()) else { return vec![] };
        program.graph.find(&ResourceId(id.into())).into_iter().collect()
    }

    fn no_resource(&self) -> &'static str {
        "no resource on this line"
    }

    fn name(&self, front: Front<'_>) -> Option<String> {
        match front.resource().zip(front.cx.graphed()) {
            Some((node, program)) => Some(bare(program, node)),
            None => self.resource().map(str::to_string),
        }
    }

    fn copy(&self, _: Front<'_>) -> Option<String> {
        self.selected()
    }

    fn enabled(&self, condition: When, front: Front<'_>) -> Enabled {
        match condition {
            When::CanOpen | When::CanGoRight => when(self.selected().is_some(), self.why_nothing()),
            When::CanShowRelated => when(self.resource().is_some(), "no resource on this line"),
            When::HasDefinition | When::HasKind => {
                has_resource(front)?;
                has_source(front)
            }
            When::CanFold => Err("nothing to fold here; / filters".into()),
            _ => front.enabled_anywhere(condition),
        }
    }
}
