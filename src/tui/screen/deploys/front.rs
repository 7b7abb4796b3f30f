//! What is under the cursor of History.

use super::State;
use crate::session::history::already_undone_words;
use crate::source::Place;
use crate::tui::front::Front;
use crate::tui::keymap::{Enabled, When, when};
use crate::tui::screen::{Listed, Selection};

const NO_NAME_OF_THE_PROGRAM: &str = "a deploy has no source or references; Enter opens it";

impl State {
    fn has_deploy(&self) -> Enabled {
        self.has_row()?;
        when(self.selected().is_some(), "not a deploy: plans and fetches change nothing")
    }

    fn can_undo(&self, front: Front<'_>) -> Enabled {
        when(front.cx.project.can_apply, "not available while taking a screenshot")?;
        self.has_deploy()?;
        if let (Some(deploy), Some(back)) = (self.selected(), self.undo()) {
            return Err(already_undone_words(deploy, back));
        }
        let is_idle = !front.step.is_running() && !front.step.phase.is_live();
        when(is_idle, "not while a run is in progress (Ctrl-C on Plan stops it)")
    }
}

impl Selection for State {
    fn list(&self) -> Option<&dyn Listed> {
        Some(&self.list)
    }

    fn filter_keys(&self) -> &'static [&'static str] {
        &["kind", "state"]
    }

    fn filter_example(&self) -> &'static str {
        "words, kind:plan, !kind:fetch, state:failed"
    }

    fn no_resource(&self) -> &'static str {
        "use Graph (3) or Plan (1) for resources"
    }

    fn name(&self, _: Front<'_>) -> Option<String> {
        self.entry()
    }

    fn place(&self, _: Front<'_>) -> Option<Place> {
        None
    }

    fn no_file(&self) -> &'static str {
        "the history does not store source locations"
    }

    fn copy(&self, _: Front<'_>) -> Option<String> {
        let own = self.selected().map(|deploy| deploy.to_string());
        own.or_else(|| Some(self.selected_plan()?.to_owned()))
    }

    fn deploys(&self) -> Option<[Option<u64>; 2]> {
        Some([self.selected(), self.other()])
    }

    fn enabled(&self, condition: When, front: Front<'_>) -> Enabled {
        match condition {
            When::HasDiff => when(self.has_diff(), "no text diff here"),
            When::CanSave => self.has_deploy(),
            When::CanUndoDeploy => self.can_undo(front),
            When::CanCompare => {
                self.has_deploy()?;
                let why_not = if self.is_undo() {
                    "an undo cannot be compared"
                } else {
                    "no earlier deploy of this module to compare with"
                };
                when(self.other().is_some(), why_not)
            }
            When::CanOpen | When::CanGoRight => self.has_row().map_err(Into::into),
            When::CanShowRelated => {
                self.has_row()?;
                when(self.entry().is_some(), "this row has no module")
            }
            When::HasReferences | When::HasDefinition => Err(NO_NAME_OF_THE_PROGRAM.into()),
            When::HasKind => Err("all details are in the other pane (Tab)".into()),
            When::CanFold => when(self.has_folds(), "only groups of three or more plans fold"),
            _ => front.enabled_anywhere(condition),
        }
    }
}
