//! The data of History: its rows, and the details of the selected one.

use crate::session::history::{Deploy, Difference, Summary, UndoneBy};
use crate::session::operations::{LogEntry, Operation, Operations};
use crate::tui::{keymap::Action, list::ListPane, widget::diff, widget::list::List};
use ratatui::text::Line;
use std::{cell::OnceCell, collections::BTreeMap};

#[derive(Debug)]
pub enum Notice {
    /// The newest of many deploys, while the others are read.
    Newest(Listed),
    Listed(Result<Listed, String>),
    Read(u64, Result<Box<Deploy>, String>),
    Compared(u64, u64, Result<Vec<Difference>, String>),
    /// A deploy of this session has ended and is recorded.
    Ended,
}

#[derive(Debug)]
pub struct Listed {
    /// Newest first.
    pub deploys: Vec<Summary>,
    pub operations: Operations,
    /// Why the operations cannot be read.
    pub unread: Option<String>,
    /// Whether a process is working on the newest deploy; `None` if unknown.
    pub at_work: Option<bool>,
}

/// The subject of the pane beside the list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    Deploy(u64),
    /// A plan, a fetch, or a run of plans.
    Beside(Key),
    /// An older one and a newer one.
    Difference(u64, u64),
}

/// What to do with a deploy after going to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Show,
    /// Runs this action.
    Act(Action),
    CompareWith(u64),
}

#[derive(Debug, Default)]
pub struct State {
    /// `None` until the first answer.
    pub(super) listed: Option<Result<(), String>>,
    pub list: ListPane<Rows>,
    /// The last reported error about the record of plans and fetches.
    pub(super) unread: Option<String>,
    /// The scroll position of the pane beside the list.
    pub(super) window: List,
    /// The deploy to go to once the list is read, and what to do then.
    pub(super) sought: Option<(u64, Then)>,
    pub(super) about: Option<About>,
    /// Its details, once they are read.
    pub(super) detail: Option<Detail>,
    pub(super) lines: Vec<Line<'static>>,
    /// The width and the diff view that the lines were made for.
    pub(super) made_for: Option<(usize, diff::View)>,
    /// It has a diff of multi-line texts.
    pub(super) has_diff: bool,
    /// The filter may have put another row under the cursor.
    pub(super) is_filtered: bool,
}

/// The subject of the pane beside the list.
#[derive(Debug)]
pub enum Detail {
    /// `at_work`: whether a process is working on it, if known; `undone_by`: the deploy that undid it.
    Deploy { deploy: Box<Deploy>, at_work: Option<bool>, undone_by: Option<String> },
    /// Two deploys compared.
    Between { one: u64, other: u64, differences: Vec<Difference> },
    /// An operation other than a deploy.
    Operation(Operation),
    /// It could not be read.
    Error(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The position of a deploy or operation.
    LogEntry(usize),
    /// Why the deploy above failed; not selectable.
    Why(usize),
    /// The number of hidden plans and fetches.
    Hidden(usize),
}

/// The subject of a row, which stays when rows are added above.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    Deploy(u64),
    /// Two may have the same second: only the whole record identifies one.
    Operation(Operation),
    /// The row of hidden plans and fetches.
    Hidden,
}

#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    Deploy(&'a Summary),
    Operation(&'a Operation),
    /// The number of hidden plans and fetches.
    Hidden(usize),
}

/// All deploys and operations, and their rows.
#[derive(Debug, Default)]
pub struct Rows {
    pub(super) all: Vec<LogEntry>,
    pub(super) rows: Vec<Row>,
    /// Plans and fetches are shown too.
    pub(super) shows_all: bool,
    /// The width of the longest entry name.
    pub(super) widest: usize,
    /// The searchable text of each item: made for the first filter and cached.
    pub(super) texts: OnceCell<Vec<Box<str>>>,
    /// The undo of each undone deploy.
    pub(super) undone_by: BTreeMap<u64, UndoneBy>,
    /// The entry of each deploy: an undo has the entry of the deploy that it undoes.
    pub(super) entries: BTreeMap<u64, String>,
    /// Whether a process is working on the newest; `None` if unknown.
    pub at_work: Option<bool>,
}
