//! What is under the cursor of Log.

use super::State;
use crate::graph::{NodeIndex, ResourceId};
use crate::tui::front::Front;
use crate::tui::keymap::{Enabled, When, has_resource, has_source, when};
use crate::tui::screen::{Listed, Selection, bare};

impl Selection for State {
    fn list(&self) -> Option<&dyn Listed> {
        Some(&self.list)
    }

    fn filter_keys(&self) -> &'static [&'static str] {
        &["level", "resource", "kind"]
    }

    fn filter_example(&self) -> &'static str {
        "words, level:problems, resource:nginx, kind:file, !work"
    }

    fn resources(&self, front: Front<'_>) -> Vec<NodeIndex> {
        let Some((id, program)) = self.resource(&front.cx.log).zip(front.cx.graphed()) else { return vec![] };
        program.graph.find(&ResourceId(id.into())).into_iter().collect()
    }

    fn no_resource(&self) -> &'static str {
        "no resource on this line"
    }

    fn name(&self, front: Front<'_>) -> Option<String> {
        match front.resource().zip(front.cx.graphed()) {
            Some((node, program)) => Some(bare(program, node)),
            None => self.resource(&front.cx.log).map(str::to_string),
        }
    }

    fn copy(&self, front: Front<'_>) -> Option<String> {
        self.entry(&front.cx.log).map(|entry| entry.words.clone())
    }

    fn enabled(&self, condition: When, front: Front<'_>) -> Enabled {
        match condition {
            When::CanOpen | When::CanGoRight => when(!self.list.is_empty(), self.why_nothing()),
            When::CanShowRelated => when(self.resource(&front.cx.log).is_some(), "no resource on this line"),
            When::HasDefinition | When::HasKind => {
                has_resource(front)?;
                has_source(front)
            }
            When::CanFold => Err("nothing to fold here; / filters".into()),
            _ => front.enabled_anywhere(condition),
        }
    }
}
