//! The data of Graph: its drawing, filter and folds, and a requested export.

use crate::graph::view::{Drawn, FoldKey, Folds};
use crate::graph::{NodeIndex, ResourceId};
use crate::module::LanguageName;
use crate::tui::list::{ListPane, Rows};
use crate::tui::{program::Program, screen::graph::draw::View, widget::list::List};
use std::{path::PathBuf, sync::Arc};

#[derive(Debug, Default)]
pub struct State {
    pub(super) view: View,
    /// The rows are the last drawing, which may be older than the state.
    pub list: ListPane<Arc<Drawn>>,
    /// Counts requested drawings: only the latest is used.
    pub(super) asked: u64,
    /// The state has changed since the last request.
    pub(super) is_outdated: bool,
    pub(super) shown: Option<Arc<Vec<bool>>>,
    pub(super) lens: Lens,
    /// The folds of the rails, and of the tree.
    pub(super) folds: [Folds; 2],
    /// The key that was just folded, to report it if it has no fold.
    pub(super) folding: Option<FoldKey>,
    /// The last selected node: a fold may contain it.
    pub(super) chosen: Option<NodeIndex>,
    pub(super) detail: List,
}

impl Rows for Arc<Drawn> {
    type Key = NodeIndex;

    fn len(&self) -> usize {
        self.stops.len()
    }

    fn key(&self, at: usize) -> Option<NodeIndex> {
        self.node_at(at).map(NodeIndex)
    }

    fn find(&self, node: &NodeIndex) -> Option<usize> {
        self.stop_of(node.0)
    }

    fn line(&self, at: usize) -> usize {
        self.stops.get(at).map_or(0, |row| *row as usize)
    }

    fn lines(&self) -> usize {
        self.rows.len()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lens {
    #[default]
    All,
    /// A node with all of its requirements and dependents.
    Related(ResourceId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Dot,
    Mermaid,
    Json,
    Rails,
}

#[derive(Clone, Debug)]
pub struct Export {
    pub(super) program: Arc<Program>,
    /// The visible nodes, if some are hidden.
    pub(super) shown: Option<Arc<Vec<bool>>>,
    pub(super) format: Format,
    pub(super) entry: String,
    pub(super) language: LanguageName,
    /// The typed text.
    pub name: String,
    /// The new file; `None` for the clipboard.
    pub file: Option<PathBuf>,
    pub(super) is_ascii: bool,
}
