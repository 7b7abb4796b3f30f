//! Lines of files and rows of screens that somebody wants to come back to.

use std::path::{Path, PathBuf};

use super::effect::Effect;
use super::layer::picker;
use super::layer::picker::item::{Item, Target};
use super::look::Role;
use super::screen::ScreenId;
use super::state::State;
use super::widget::text;
use crate::graph::ResourceId;

/// More are not kept.
const MOST: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bookmark {
    /// A line of a file, from 1.
    Line { path: PathBuf, line: u32 },
    /// A row of a list by its name: a module, a resource, the number of a deploy, of a line of the log.
    Row { screen: ScreenId, row: String },
}

impl Bookmark {
    /// What it is called, with files as they read from a folder.
    pub fn name(&self, base: &Path) -> String {
        match self {
            Bookmark::Line { path, line } => format!("{}:{line}", picker::shown(path, base)),
            Bookmark::Row { screen: ScreenId::Deploys, row } => format!("deploy {row}"),
            Bookmark::Row { screen: ScreenId::Log, row } => format!("line {row} of the log"),
            Bookmark::Row { row, .. } => text::safe(row),
        }
    }

    fn target(&self) -> Target {
        match self {
            Bookmark::Line { path, line } => Target::File(path.clone(), (*line, 1)),
            Bookmark::Row { screen: ScreenId::Modules, row } => Target::Module(row.clone(), None),
            Bookmark::Row { screen: ScreenId::Graph, row } => Target::Resource(ResourceId(row.as_str().into())),
            Bookmark::Row { screen, row } => Target::Row(*screen, row.clone()),
        }
    }
}

impl State {
    /// What a bookmark would be set on.
    pub fn bookmarkable(&self) -> Option<Bookmark> {
        let row = |row: String| Some(Bookmark::Row { screen: self.screen, row });
        match self.screen {
            ScreenId::Code => {
                let doc = self.code.doc()?;
                Some(Bookmark::Line { path: doc.path.clone()?, line: doc.line() })
            }
            ScreenId::Modules => match self.modules.module_name() {
                Some(name) => row(name),
                None => Some(Bookmark::Line { path: self.modules.file()?, line: 1 }),
            },
            ScreenId::Graph => row(self.graphed()?.id(self.graph.selected(self)?).0.to_string()),
            ScreenId::Step => row(self.step.cursor_id()?.0.to_string()),
            ScreenId::Deploys => row(self.deploys.selected()?.to_string()),
            ScreenId::Log => row(self.log.number()?.to_string()),
        }
    }

    /// Whether any row of a screen is bookmarked: then the signs have a column of their own there, with a gap behind it.
    pub fn has_bookmarked(&self, screen: ScreenId) -> bool {
        self.bookmarks.iter().any(|one| matches!(one, Bookmark::Row { screen: on, .. } if *on == screen))
    }

    /// Whether a row of a screen is bookmarked.
    pub fn is_bookmarked(&self, screen: ScreenId, row: &str) -> bool {
        let is_it =
            |one: &Bookmark| matches!(one, Bookmark::Row { screen: on, row: name } if *on == screen && name == row);
        self.bookmarks.iter().any(is_it)
    }
}

/// Sets a bookmark on what is under the cursor, or takes it away. On Graph it is an end of a path as well, on Deploys what
/// others are compared with.
pub fn toggle(state: &mut State) {
    let Some(bookmark) = state.bookmarkable() else { return };
    let name = bookmark.name(&base(state));
    let at = state.bookmarks.iter().position(|there| *there == bookmark);
    match at {
        Some(at) => {
            state.bookmarks.remove(at);
            state.say(Role::Note, format!("no bookmark at {name} any more"));
        }
        None if state.bookmarks.len() < MOST => {
            state.bookmarks.push(bookmark.clone());
            state.say(Role::Note, format!("a bookmark at {name}: Space b comes back to it"));
        }
        None => {
            state.say(Role::Warning, format!("there are {MOST} bookmarks; take some away first"));
            return;
        }
    }
    let is_set = at.is_none();
    match bookmark {
        Bookmark::Row { screen: ScreenId::Graph, row } => {
            let id = ResourceId(row.as_str().into());
            if is_set || state.graph.marked.as_ref() == Some(&id) {
                state.graph.marked = is_set.then_some(id);
            }
        }
        Bookmark::Row { screen: ScreenId::Deploys, row } => state.deploys.mark(row.parse().ok(), is_set),
        _ => {}
    }
}

/// The folder that names of files are read from.
fn base(state: &State) -> PathBuf {
    state.entry_file.as_ref().and_then(|file| file.parent()).unwrap_or_else(|| "".as_ref()).to_path_buf()
}

/// Lists the bookmarks, to go to one.
pub fn list(state: &mut State) -> Vec<Effect> {
    let base = base(state);
    let note = |bookmark: &Bookmark| match bookmark {
        Bookmark::Line { path, line } => {
            let doc = state.code.docs().find(|doc| doc.path.as_ref() == Some(path));
            let line = (*line as usize).saturating_sub(1);
            let doc = doc.filter(|doc| line < doc.len());
            doc.map(|doc| text::safe(doc.line_text(line).trim())).unwrap_or_default()
        }
        Bookmark::Row { screen: ScreenId::Log, row } => {
            row.parse().ok().and_then(|number| state.log.line_of(number)).unwrap_or_default()
        }
        Bookmark::Row { screen, .. } => format!("on {}", screen.title()),
    };
    let item =
        |bookmark: &Bookmark| Item { shown: bookmark.name(&base), note: note(bookmark), target: bookmark.target() };
    let items = state.bookmarks.iter().map(item).collect();
    picker::items(state, "Bookmarks".into(), items)
}
