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
        match self.screen {
            ScreenId::Code => self.code.declared_at_cursor(self),
            ScreenId::Graph => self.graph.selected_all(),
            ScreenId::Step => {
                let Some(program) = self.step.program() else { return vec![] };
                self.step.cursor_id().and_then(|id| program.graph.find(id)).into_iter().collect()
            }
            ScreenId::Log => {
                let Some((id, program)) = self.log.resource().zip(self.graphed()) else { return vec![] };
                program.graph.find(&ResourceId(id.into())).into_iter().collect()
            }
            ScreenId::Modules | ScreenId::Deploys => vec![],
        }
    }

    /// The name under the cursor, as a search text; text screens have their own.
    pub fn name_here(&self) -> Option<String> {
        match self.screen {
            ScreenId::Code => None,
            ScreenId::Modules => self.modules.module().map(|module| module.name.clone()),
            ScreenId::Graph => {
                let program = self.graphed()?;
                Some(bare(program, self.graph.selected(self)?))
            }
            ScreenId::Step => Some(bare(self.step.program()?, self.selected_resource()?)),
            ScreenId::Deploys => self.deploys.entry(),
            ScreenId::Log => match self.selected_resource().zip(self.graphed()) {
                Some((node, program)) => Some(bare(program, node)),
                None => self.log.resource().map(str::to_string),
            },
        }
    }

    /// Returns the first selected resource.
    pub fn selected_resource(&self) -> Option<NodeIndex> {
        self.selected_resources().first().copied()
    }

    /// The name of the resource under the cursor.
    pub fn resource_here(&self) -> Option<&ResourceId> {
        let program = if self.screen == ScreenId::Step { self.step.program() } else { self.graphed() };
        Some(&program?.graph.resource(self.selected_resource()?)?.id)
    }

    /// Where the resource under the cursor is declared.
    pub fn selected_place(&self) -> Option<Place> {
        match self.screen {
            ScreenId::Graph => {
                let program = self.graphed()?;
                match program.graph.node(self.graph.selected(self)?) {
                    Node::Resource(resource) => resource.source.clone(),
                    Node::Anchor(anchor) => anchor.source.clone(),
                }
            }
            ScreenId::Step if self.cannot_plan() => self.program.as_ref()?.first_error_place().cloned(),
            ScreenId::Step | ScreenId::Log => {
                let program = self.program_on_show()?;
                program.graph.resource(self.selected_resource()?)?.source.clone()
            }
            ScreenId::Modules | ScreenId::Code | ScreenId::Deploys => None,
        }
    }

    /// Whether Plan has no steps because the program has errors.
    pub fn cannot_plan(&self) -> bool {
        !self.step.is_loaded() && self.program.as_ref().is_some_and(|program| program.has_errors())
    }

    /// The file and line for an editor.
    pub fn selected_file(&self) -> Option<(PathBuf, u32)> {
        match self.screen {
            ScreenId::Modules => Some((self.modules.file()?, 1)),
            ScreenId::Code => {
                if self.focus() == Pane::Problems
                    && let Some(place) = self.code.problem_place(self)
                {
                    return Some((self.path_of(&place)?, place.line));
                }
                let doc = self.code.doc()?;
                Some((doc.path.clone()?, doc.line()))
            }
            ScreenId::Graph | ScreenId::Step | ScreenId::Log => {
                let place = self.selected_place()?;
                Some((self.path_of(&place)?, place.line))
            }
            ScreenId::Deploys => None,
        }
    }

    /// The path of a place's file.
    pub fn path_of(&self, place: &Place) -> Option<PathBuf> {
        let newest = self.program.as_ref().and_then(|program| program.file(&place.file));
        newest.or_else(|| self.good.as_ref()?.file(&place.file))?.path.clone()
    }

    /// The text that `y` copies.
    pub fn selected_words(&self) -> Option<String> {
        match self.screen {
            ScreenId::Modules => self.modules.name(),
            ScreenId::Code => self.code.chosen().or_else(|| self.copied_place()),
            ScreenId::Graph => {
                let program = self.graphed()?;
                Some(program.id(self.graph.selected(self)?).0.to_string())
            }
            ScreenId::Step => self.step.cursor_id().map(|id| id.0.to_string()),
            ScreenId::Deploys => {
                let own = self.deploys.selected().map(|deploy| deploy.to_string());
                own.or_else(|| Some(self.deploys.selected_plan()?.to_owned()))
            }
            ScreenId::Log => self.log.selected(),
        }
    }

    /// The text that `gy` copies: a file and a line, as compilers write them.
    pub fn copied_place(&self) -> Option<String> {
        match self.screen {
            ScreenId::Code if self.focus() != Pane::Problems => {
                self.code.doc().map(|doc| format!("{}:{}", doc.name, doc.line()))
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
        match self.screen {
            ScreenId::Modules => self.modules.list.words(),
            ScreenId::Code => &self.code.words,
            ScreenId::Graph => self.graph.list.words(),
            ScreenId::Step => self.step.list.words(),
            ScreenId::Deploys => self.deploys.list.words(),
            ScreenId::Log => self.log.list.words(),
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
