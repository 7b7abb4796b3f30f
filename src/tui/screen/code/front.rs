//! What is under the cursor of Code.

use std::path::PathBuf;

use ratatui::layout::Position;

use super::{State, range, text};
use crate::graph::NodeIndex;
use crate::source::Place;
use crate::tui::keymap::{Enabled, When, has_problems, has_resource, has_source, when};
use crate::tui::screen::{Listed, Pane, Selection};
use crate::tui::{cx::Cx, front::Front};

impl Selection for State {
    fn list(&self) -> Option<&dyn Listed> {
        None
    }

    fn words(&self) -> &str {
        &self.words
    }

    fn filter_keys(&self) -> &'static [&'static str] {
        &[]
    }

    fn filter_example(&self) -> &'static str {
        ""
    }

    fn is_selecting(&self) -> bool {
        range::is_selecting(self)
    }

    fn cursor(&self, cx: &Cx) -> Option<Position> {
        if cx.focus() == Pane::Text { text::cursor(self, cx) } else { None }
    }

    fn resources(&self, front: Front<'_>) -> Vec<NodeIndex> {
        self.declared_at_cursor(front.cx)
    }

    fn no_resource(&self) -> &'static str {
        "no resource on this line"
    }

    fn name(&self, _: Front<'_>) -> Option<String> {
        None
    }

    fn place(&self, _: Front<'_>) -> Option<Place> {
        None
    }

    fn file(&self, front: Front<'_>) -> Option<(PathBuf, u32)> {
        if front.cx.focus() == Pane::Problems
            && let Some(place) = self.problem_place(front.cx)
        {
            return Some((front.cx.path_of(&place)?, place.line));
        }
        let doc = self.doc()?;
        Some((doc.path.clone()?, doc.line()))
    }

    fn copy(&self, front: Front<'_>) -> Option<String> {
        self.chosen().or_else(|| self.copied_place(front))
    }

    fn copied_place(&self, front: Front<'_>) -> Option<String> {
        if front.cx.focus() == Pane::Problems {
            return self.file(front).map(|(path, line)| format!("{}:{line}", path.display()));
        }
        self.doc().map(|doc| format!("{}:{}", doc.name, doc.line()))
    }

    fn enabled(&self, condition: When, front: Front<'_>) -> Enabled {
        let focus = front.cx.focus();
        let has_text = || {
            when(focus == Pane::Text, "only in the text (Esc goes there)")?;
            when(self.doc().is_some(), "no file is open")
        };
        match condition {
            When::HasText | When::HasReferences => has_text(),
            When::CanGoRight if focus == Pane::Text => has_text(),
            When::CanOpen | When::CanGoRight => match focus {
                Pane::Text => has_resource(front),
                Pane::Problems => has_problems(front),
                _ => when(self.doc().is_some_and(|doc| !doc.outline.is_empty()), "no declarations here"),
            },
            When::CanShowRelated => Err("text has no filter here; zM folds all".into()),
            When::HasDefinition | When::HasKind => has_source(front),
            When::CanFold => {
                has_text()?;
                when(self.has_folds(), "nothing to fold here")
            }
            _ => front.enabled_anywhere(condition),
        }
    }
}
