//! The selection under the cursor, on every screen.

use std::path::PathBuf;

use super::program::Program;
use super::screen::{Pane, ScreenId};
use super::state::State;
use crate::graph::{Node, NodeIndex, ResourceId};
use crate::source::Place;

impl State {
    /// The resources under the cursor. One line of code may declare several.
    pub fn selected_resources(&self) -> Vec<NodeIndex> {
        match self.cx.screen {
            ScreenId::Code => self.screens.code.declared_at_cursor(&self.cx),
            ScreenId::Graph => self.screens.graph.selected_all(),
            ScreenId::Step => {
                let Some(program) = self.screens.step.program() else { return vec![] };
                self.screens.step.cursor_id().and_then(|id| program.graph.find(id)).into_iter().collect()
            }
            ScreenId::Log => {
                let Some((id, program)) = self.cx.log.resource().zip(self.cx.graphed()) else { return vec![] };
                program.graph.find(&ResourceId(id.into())).into_iter().collect()
            }
            ScreenId::Modules | ScreenId::Deploys => vec![],
        }
    }

    /// The name under the cursor, as a search text; text screens have their own.
    pub fn name_here(&self) -> Option<String> {
        match self.cx.screen {
            ScreenId::Code => None,
            ScreenId::Modules => self.screens.modules.module().map(|module| module.name.clone()),
            ScreenId::Graph => {
                let program = self.cx.graphed()?;
                Some(bare(program, self.screens.graph.selected()?))
            }
            ScreenId::Step => Some(bare(self.screens.step.program()?, self.selected_resource()?)),
            ScreenId::Deploys => self.screens.deploys.entry(),
            ScreenId::Log => match self.selected_resource().zip(self.cx.graphed()) {
                Some((node, program)) => Some(bare(program, node)),
                None => self.cx.log.resource().map(str::to_string),
            },
        }
    }

    /// Returns the first selected resource.
    pub fn selected_resource(&self) -> Option<NodeIndex> {
        self.selected_resources().first().copied()
    }

    /// The name of the resource under the cursor.
    pub fn resource_here(&self) -> Option<&ResourceId> {
        let program = if self.cx.screen == ScreenId::Step { self.screens.step.program() } else { self.cx.graphed() };
        Some(&program?.graph.resource(self.selected_resource()?)?.id)
    }

    /// Where the resource under the cursor is declared.
    pub fn selected_place(&self) -> Option<Place> {
        match self.cx.screen {
            ScreenId::Graph => {
                let program = self.cx.graphed()?;
                match program.graph.node(self.screens.graph.selected()?) {
                    Node::Resource(resource) => resource.source.clone(),
                    Node::Anchor(anchor) => anchor.source.clone(),
                }
            }
            ScreenId::Step if self.cx.cannot_plan(&self.screens.step) => {
                self.cx.programs.newest.as_ref()?.first_error_place().cloned()
            }
            ScreenId::Step | ScreenId::Log => {
                let program = self.cx.program_on_show(&self.screens.step)?;
                program.graph.resource(self.selected_resource()?)?.source.clone()
            }
            ScreenId::Modules | ScreenId::Code | ScreenId::Deploys => None,
        }
    }

    /// The file and line for an editor.
    pub fn selected_file(&self) -> Option<(PathBuf, u32)> {
        match self.cx.screen {
            ScreenId::Modules => Some((self.screens.modules.file()?, 1)),
            ScreenId::Code => {
                if self.cx.focus() == Pane::Problems
                    && let Some(place) = self.screens.code.problem_place(&self.cx)
                {
                    return Some((self.cx.path_of(&place)?, place.line));
                }
                let doc = self.screens.code.doc()?;
                Some((doc.path.clone()?, doc.line()))
            }
            ScreenId::Graph | ScreenId::Step | ScreenId::Log => {
                let place = self.selected_place()?;
                Some((self.cx.path_of(&place)?, place.line))
            }
            ScreenId::Deploys => None,
        }
    }

    /// The text that `y` copies.
    pub fn selected_words(&self) -> Option<String> {
        match self.cx.screen {
            ScreenId::Modules => self.screens.modules.name(),
            ScreenId::Code => self.screens.code.chosen().or_else(|| self.copied_place()),
            ScreenId::Graph => {
                let program = self.cx.graphed()?;
                Some(program.id(self.screens.graph.selected()?).0.to_string())
            }
            ScreenId::Step => self.screens.step.cursor_id().map(|id| id.0.to_string()),
            ScreenId::Deploys => {
                let own = self.screens.deploys.selected().map(|deploy| deploy.to_string());
                own.or_else(|| Some(self.screens.deploys.selected_plan()?.to_owned()))
            }
            ScreenId::Log => self.cx.log.selected(),
        }
    }

    /// The text that `gy` copies: a file and a line, as compilers write them.
    pub fn copied_place(&self) -> Option<String> {
        match self.cx.screen {
            ScreenId::Code if self.cx.focus() != Pane::Problems => {
                self.screens.code.doc().map(|doc| format!("{}:{}", doc.name, doc.line()))
            }
            ScreenId::Graph | ScreenId::Step | ScreenId::Log => {
                self.selected_place().map(|place| format!("{}:{}", place.file, place.line))
            }
            _ => self.selected_file().map(|(path, line)| format!("{}:{line}", path.display())),
        }
    }

    /// Whether words filter the screen's list.
    pub fn has_search(&self) -> bool {
        !self.filter_words().is_empty()
    }

    /// The words that filter the screen's list, which Esc would clear.
    pub fn filter_words(&self) -> &str {
        match self.cx.screen {
            ScreenId::Modules => self.screens.modules.list.words(),
            ScreenId::Code => &self.screens.code.words,
            ScreenId::Graph => self.screens.graph.list.words(),
            ScreenId::Step => self.screens.step.list.words(),
            ScreenId::Deploys => self.screens.deploys.list.words(),
            ScreenId::Log => self.cx.log.list.words(),
        }
    }
}

/// The name of a node without its kind.
fn bare(program: &Program, node: NodeIndex) -> String {
    match program.graph.node(node) {
        Node::Resource(resource) => resource.shown().name.to_string(),
        Node::Anchor(_) => program.id(node).0.to_string(),
    }
}
