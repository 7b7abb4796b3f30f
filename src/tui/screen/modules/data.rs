//! The data of Modules: its rows, and the fetch in progress.

use crate::module::ModuleTree;
use crate::session::{Downloaded, FetchEvent, Fetched, ImportEdit, Permit, Progress, Pruning, RemoteState};
use crate::tui::{list::ListPane, widget::list::List};
use std::collections::{BTreeMap, BTreeSet};
use std::{path::PathBuf, time::Duration};

/// A visible row of the tree, as positions in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Module(usize),
    File(usize, usize),
}

/// The module of a row, and the file of a file's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub(super) module: String,
    pub(super) file: Option<PathBuf>,
}

#[derive(Debug, Default)]
pub struct Tree {
    /// `None` until the first answer.
    pub tree: Option<ModuleTree>,
    pub(super) open: BTreeSet<String>,
    pub(super) rows: Vec<Row>,
    pub(super) words: String,
}

#[derive(Debug, Default)]
pub struct State {
    pub list: ListPane<Tree>,
    pub(super) detail: List,
    /// The requested READMEs, with their text.
    pub(super) readmes: BTreeMap<PathBuf, Option<String>>,
    pub(super) fetched: Vec<Fetched>,
    /// The running download.
    pub fetch: Option<Fetch>,
    /// The log line at which the last download started.
    pub(super) began: usize,
    /// The last one, if it failed.
    pub failed: Option<Failed>,
    /// The last download, with its permissions.
    pub(super) wanted: Option<(Task, BTreeSet<Permit>)>,
    /// The further permissions that would help.
    pub(super) refused: Option<BTreeSet<Permit>>,
    /// The remotes, as of the last check.
    pub(super) seen: Vec<RemoteState>,
    /// An import to confirm.
    pub(super) edit: Option<Box<ImportEdit>>,
    /// The modules to remove after a confirmation.
    pub(super) pruning: Option<Pruning>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    Missing,
    /// Also updates the locked modules.
    Update,
    /// Updates one locked module, by its name.
    Bump(String),
    /// Fetches a new import, and then adds its line.
    Add(Box<ImportEdit>),
    /// Checks the remotes.
    Look,
}

/// Why nothing was fetched, one line each, and the permissions that would help.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    pub lines: Vec<String>,
    /// The remotes that were not fetched, as the imports write them.
    pub remotes: Vec<String>,
    pub permits: BTreeSet<Permit>,
}

/// Reports of a download, and the result of changing modules.
#[derive(Debug)]
pub enum Notice {
    Progress {
        event: FetchEvent,
        elapsed: Duration,
    },
    /// The server at a URL wants a login, and no credential helper has one.
    Asks(String),
    Ended(Result<Downloaded, Refusals>),
    Seen(Result<Vec<RemoteState>, Refusals>),
    /// The file with an additional import.
    Import(Result<Box<ImportEdit>, Vec<String>>),
    Pruning(Result<Pruning, String>),
    /// How many were removed.
    Pruned(Result<usize, String>),
    Approved(Result<Vec<Fetched>, String>),
    /// The text to read before a module is approved.
    Reviewed(Box<Fetched>, Vec<String>),
}

#[derive(Debug, Default)]
pub struct Fetch {
    pub(super) under_way: BTreeMap<String, Progress>,
    pub(super) came: usize,
    pub(super) of: usize,
    /// The bytes of finished fetches.
    pub(super) bytes: u64,
    pub(super) elapsed: Duration,
    pub(super) is_stopping: bool,
    /// The user name for each server: a server that asks again refused it.
    pub(super) named: BTreeMap<String, String>,
    /// It waits for another download of the same entry.
    pub(super) is_waiting: bool,
}

/// The last failure, until the next fetch starts.
#[derive(Clone, Debug)]
pub struct Failed {
    pub(super) title: &'static str,
    pub(super) wanted: Task,
    pub(super) permits: BTreeSet<Permit>,
    /// The remotes that were not fetched, as the imports write them.
    pub(super) remotes: Vec<String>,
    pub(super) lines: Vec<String>,
    /// The log line at which it started.
    pub(super) began: usize,
}
