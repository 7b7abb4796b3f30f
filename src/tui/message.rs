//! Everything that can happen: one closed list.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::MouseEvent;

use super::keys::Key;
use super::layer::picker;
use super::program::Program;
use super::screen::code::{Answer, Asked, Paint, Spot};
use super::screen::deploys;
use super::screen::graph::export::Export;
use super::screen::modules::fetch;
use super::screen::step::live::Told;
use super::screen::step::observe::Looked;
use super::screen::step::parked;
use super::screen::step::saved::Opened;
use super::settings;
use super::widget::diff::Diff;
use crate::engine::message::Event;
use crate::graph::view::Drawn;
use crate::highlight::Theme;
use crate::module::ModuleTree;
use crate::plan::Plan;
use crate::session::against::Against;
use crate::session::follow::Read;
use crate::session::live::News;
use crate::session::{Drift, Fetched, Outdated, Seen};

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

/// What happened.
#[derive(Debug)]
pub enum Message {
    Key(Key),
    Paste(String),
    Mouse(MouseEvent),
    Resize(u16, u16),
    /// The terminal says which ground it has, or that it has another now.
    Ground {
        light: bool,
    },
    /// The log was written to a file, or why not.
    Saved {
        path: PathBuf,
        result: Result<(), String>,
    },
    /// The theme that was asked for.
    Theme(Box<Theme>),
    /// Why there is no such theme.
    NoTheme(String),
    /// A file of the settings differs.
    SettingsChanged,
    /// The settings, read again.
    Settings(settings::Told),
    /// A prefix key has waited long enough for its popup, or a lone digit for its screen.
    PendingDue,
    /// Time for the next picture of the spinner.
    Tick,
    /// The modules, which of them were fetched, and what is known of their remotes.
    Modules(ModuleTree, Vec<Fetched>, Vec<Seen>),
    /// What was kept of the last time.
    Recalled(Result<Option<String>, String>),
    /// What was read from the history.
    Deploys(deploys::Told),
    /// Reports of a download.
    Fetch(fetch::Told),
    Compiled {
        program: Arc<Program>,
        /// Which compilation: an older one than asked for last is dropped.
        turn: u64,
        took: Duration,
    },
    /// The graph is drawn; one that is not the last that was asked for is dropped.
    Drawn {
        picture: Drawn,
        number: u64,
    },
    /// The graph was written down: its text, or why not.
    Exported(Box<Export>, Result<String, String>),
    /// A deploy was written down, so many bytes, or why not.
    DeployExported {
        deploy: u64,
        file: PathBuf,
        result: Result<usize, String>,
    },
    /// A saved plan was held against what is so now, or cannot be.
    PlanOpened {
        file: PathBuf,
        result: Result<Box<Opened>, String>,
    },
    Read {
        /// As requested.
        asked: PathBuf,
        /// Without links and detours, so that one file has one name.
        path: PathBuf,
        /// As shown, where the program does not name it.
        name: Arc<str>,
        text: Result<Arc<str>, String>,
    },
    /// A module's README, or that it has none.
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
    /// A resource was looked at again.
    Looked(Box<Looked>),
    Planned {
        program: Arc<Program>,
        plan: Arc<Plan>,
        turn: u64,
        took: Duration,
    },
    /// The plan of a run against the last deploy; none where there is none.
    Against {
        run: u64,
        result: Result<Option<Against>, String>,
    },
    /// Two texts are compared.
    Diffed(Arc<Diff>),
    /// What workers found for a picker.
    Found(picker::Told),
    /// An event of a run; `run` identifies it, so that events of an older run are ignored.
    Run {
        run: u64,
        event: Event,
    },
    /// Reports of a live run other than its events.
    Live(Told),
    /// Reports about an applier in a process of its own.
    Parked(parked::Told),
    /// An armed run was left alone for long.
    Idle,
    /// What the newest compilation read would read differently now.
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
    /// The editor was left.
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
