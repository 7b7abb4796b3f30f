//! What is under the cursor of Modules.

use std::path::PathBuf;

use super::State;
use crate::source::Place;
use crate::tui::front::Front;
use crate::tui::keymap::{Enabled, When, has_file, has_modules};
use crate::tui::screen::{Listed, Selection};

impl Selection for State {
    fn list(&self) -> Option<&dyn Listed> {
        Some(&self.list)
    }

    fn filter_keys(&self) -> &'static [&'static str] {
        &["file"]
    }

    fn filter_example(&self) -> &'static str {
        "words, file:NAME, !old"
    }

    fn no_resource(&self) -> &'static str {
        "use Graph (3) or Plan (1) for resources"
    }

    fn name(&self, _: Front<'_>) -> Option<String> {
        self.module().map(|module| module.name.clone())
    }

    fn place(&self, _: Front<'_>) -> Option<Place> {
        None
    }

    fn file(&self, _: Front<'_>) -> Option<(PathBuf, u32)> {
        Some((self.file()?, 1))
    }

    fn copy(&self, _: Front<'_>) -> Option<String> {
        self.name()
    }

    fn copied_place(&self, _: Front<'_>) -> Option<String> {
        self.file().map(|path| format!("{}:1", path.display()))
    }

    fn enabled(&self, condition: When, front: Front<'_>) -> Enabled {
        match condition {
            When::CanOpen | When::CanGoRight | When::CanShowRelated | When::HasReferences | When::CanFold => {
                has_modules(self)
            }
            When::HasDefinition => has_file(front),
            When::HasKind => Err("all details are in the other pane (Tab)".into()),
            _ => front.enabled_anywhere(condition),
        }
    }
}
