//! The data of Code: its open texts, and the answer of a lookup.

use crate::graph::ResourceId;
use crate::session::Here;
use crate::source::Place;
use crate::tui::screen::code::doc::{Doc, Spot};
use crate::tui::{layer::picker::item::Item, widget::list::List};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

#[derive(Debug, Default)]
pub struct State {
    pub(super) docs: BTreeMap<Arc<str>, Doc>,
    pub(super) current: Option<Arc<str>>,
    /// The position to show once a file has been read.
    pub(super) wanted: Option<(PathBuf, Spot)>,
    pub(super) outline: List,
    /// The row of the outline at which it last followed the text.
    pub(super) outlined: Option<usize>,
    pub(super) problems: List,
    pub words: String,
    /// Why nothing is open.
    pub trouble: Option<String>,
    /// Line numbers are relative to the cursor.
    pub counts_from_cursor: bool,
}

/// The symbol, with its data from the graph.
#[derive(Clone, Debug)]
pub struct Answer {
    pub here: Here,
    /// Only for a resource.
    pub around: Option<Around>,
    /// Why it is as it is: sentences, each with its place.
    pub why: Vec<(Option<Place>, String)>,
}

/// The resources that a name in the text refers to.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The resources in the graph; empty without a graph, or if none of them is in it.
    pub resources: Vec<ResourceId>,
    pub has_graph: bool,
    /// Edges by effect: what notifies them, what else comes before, what they notify, and what else depends on them.
    pub notifiers: usize,
    pub needs: usize,
    pub refreshes: usize,
    pub dependents: usize,
    /// Where the first of them is declared.
    pub declared: Option<Place>,
    /// Everything linked with them, by the graph and by the text.
    pub items: Vec<Item>,
}
