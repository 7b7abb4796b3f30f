//! All messages: one closed list.

use std::{path::PathBuf, sync::Arc, time::Duration};

use crossterm::event::MouseEvent;

use super::layer::picker::data::Notice as PickerNotice;
use super::parts::Notice as SettingsNotice;
use super::screen::code::doc::{Paint, Spot};
use super::screen::deploys::data::Notice as DeploysNotice;
use super::screen::modules::data::Notice as FetchNotice;
use super::screen::step::data::{Looked, Notice as DetachedNotice, Opened, Reopened};
use super::{
    keymap::Asked, keys::Key, program::Program, screen::code::data::Answer, screen::graph::data::Export,
    screen::step::live::data::Notice, widget::diff::Diff,
};
use crate::compare::report::Document;
use crate::engine::message::Event;
use crate::graph::view::Drawn;
use crate::highlight::Theme;
use crate::module::ModuleTree;
use crate::plan::Plan;
use crate::session::against::Against;
use crate::session::follow::Read;
use crate::session::live::News;
use crate::session::{Drift, Fetched, Outdated, RemoteState};

/// Work that shows in the header while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Job {
    Modules,
    Compile,
    Plan,
    Rails,
    Read,
    Paint,
    LookUp,
    Watch,
    Index,
    Fetch,
    History,
    Export,
    Diff,
    /// A run in progress.
    Run,
    /// A watch that takes in events.
    Events,
}

impl Job {
    /// Its name in the header.
    pub fn word(self) -> &'static str {
        match self {
            Job::Modules => "modules",
            Job::Compile => "compile",
            Job::Plan => "plan",
            Job::Rails => "rails",
            Job::Read => "read",
            Job::Paint => "colours",
            Job::LookUp => "look up",
            Job::Watch => "watch",
            Job::Index => "graph",
            Job::Fetch => "fetch",
            Job::History => "history",
            Job::Export => "export",
            Job::Diff => "compare",
            Job::Run => "run",
            Job::Events => "events",
        }
    }
}

#[derive(Debug)]
pub enum Message {
    Key(Key),
    Paste(String),
    Mouse(MouseEvent),
    Resize(u16, u16),
    /// The terminal reports its background, or a change of it.
    Ground {
        light: bool,
    },
    /// The log was written to a file, or why not.
    Saved {
        path: PathBuf,
        result: Result<(), String>,
    },
    /// The requested theme.
    Theme(Box<Theme>),
    /// Why the theme cannot be loaded.
    NoTheme(String),
    SettingsChanged,
    Settings(SettingsNotice),
    /// A prefix key has waited long enough for its popup, or a lone digit for its screen.
    PendingDue,
    /// Time for the next frame of the spinner.
    Tick,
    /// The modules, which of them are fetched, and the state of their remotes.
    Modules(ModuleTree, Vec<Fetched>, Vec<RemoteState>),
    /// The saved state of the last session.
    Recalled(Result<Option<String>, String>),
    Deploys(DeploysNotice),
    Fetch(FetchNotice),
    /// `turn` identifies the compilation: results of an older one are dropped.
    Compiled {
        program: Arc<Program>,
        turn: u64,
        took: Duration,
    },
    /// The graph is drawn; a drawing that is not the latest requested one is dropped.
    Drawn {
        picture: Drawn,
        number: u64,
    },
    /// The graph was exported: its text, or why not.
    Exported(Box<Export>, Result<String, String>),
    /// A deploy was exported: its size in bytes, or why not.
    DeployExported {
        deploy: u64,
        file: PathBuf,
        result: Result<usize, String>,
    },
    /// The entry was opened for what a saved plan or a deploy was compiled for.
    Reopened(Reopened),
    /// A saved plan was compared with the current state, or cannot be.
    PlanOpened {
        file: PathBuf,
        result: Result<Box<Opened>, String>,
    },
    /// `asked`: the path as requested. `path`: without links and detours, so that one file has one name. `name`: the
    /// shown name, if the program does not name the file.
    Read {
        asked: PathBuf,
        path: PathBuf,
        name: Arc<str>,
        text: Result<Arc<str>, String>,
    },
    /// A module's README; `None` if it has none.
    Readme {
        path: PathBuf,
        text: Option<String>,
    },
    Painted {
        name: Arc<str>,
        path: Option<PathBuf>,
        paint: Paint,
    },
    /// The symbol at a place of a file, if there is one.
    LookedUp {
        name: Arc<str>,
        spot: Spot,
        asked: Asked,
        here: Option<Box<Answer>>,
    },
    /// A resource was re-checked.
    Looked(Box<Looked>),
    Planned {
        program: Arc<Program>,
        plan: Arc<Plan>,
        turn: u64,
        took: Duration,
    },
    /// The plan of a run compared with the last deploy; `None` if there is none.
    Against {
        run: u64,
        result: Result<Option<Against>, String>,
    },
    /// A comparison on request.
    Compared {
        run: u64,
        result: Result<Box<Document>, String>,
    },
    /// The difference of two texts.
    Diffed(Arc<Diff>),
    /// Results of workers for a picker.
    Found(PickerNotice),
    /// An event of a run; `run` identifies it, so that events of an older run are ignored.
    Run {
        run: u64,
        event: Event,
    },
    /// Reports of a live run other than its events.
    Live(Notice),
    /// Reports about an applier in a process of its own.
    Detached(DetachedNotice),
    /// A live run got no key for a long time.
    Idle,
    /// Inputs of the newest compilation that changed since.
    FilesChanged(Vec<Read>),
    /// A report of a watch; `run` identifies it, so that reports of an older watch are ignored.
    Watched {
        run: u64,
        news: News,
    },
    /// Applied resources were changed; `run` identifies the watch.
    Drift {
        run: u64,
        drift: Drift,
    },
    /// All resources of a plan that are stale; `run` identifies the watch.
    Outdated {
        run: u64,
        found: Outdated,
    },
    /// The graph of a moment can be shown.
    Indexed {
        run: u64,
        program: Arc<Program>,
    },
    /// The editor was closed.
    Edited(Result<(), String>),
    /// How much of its work a job has done.
    Progress {
        job: Job,
        done: usize,
        of: usize,
    },
    /// A stopped job has ended.
    Cancelled(Job),
    /// A worker panicked or could not do its work.
    Failed {
        job: Job,
        words: String,
    },
}

impl Message {
    /// The job that ends with it.
    pub fn ends(&self) -> Option<Job> {
        Some(match self {
            Self::Saved { .. } | Self::Read { .. } | Self::Readme { .. } => Job::Read,
            Self::Modules(..) => Job::Modules,
            Self::Against { .. } => Job::History,
            Self::Compared { .. } | Self::Diffed(_) => Job::Diff,
            Self::Drawn { .. } => Job::Rails,
            Self::Exported(..) | Self::DeployExported { .. } => Job::Export,
            Self::Painted { .. } => Job::Paint,
            Self::LookedUp { .. } => Job::LookUp,
            Self::Planned { .. } | Self::Looked(_) => Job::Plan,
            Self::Indexed { .. } => Job::Index,
            Self::Cancelled(job) | Self::Failed { job, .. } => *job,
            _ => return None,
        })
    }
}
