//! Work that `update` asks for: done on worker threads, coming back as messages.
//!
//! An [`Effect`] says what is to be done, and the [`Runner`] does it: at once where that only hands something on, else on a
//! thread of its own. What such a thread does is a function from what it needs to one message: [`themes`], [`settings`],
//! [`files`], [`programs`], [`history`]. What goes on for longer and tells more than once has a room of its own: runs, fetching,
//! finding.

mod files;
mod history;
mod kept;
mod programs;
mod runner;
mod settings;
mod themes;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::finder::Order;
use super::message::Job;
use super::program::Program;
use super::screen::code::{Asked, Spot};
use super::screen::graph::{self, export::Export};
use super::screen::modules::fetch::Wanted;
use super::screen::step::conflict::Decided;
use super::screen::step::live::Cut;
use super::screen::step::observe::Looked;
use crate::engine::message::Request;
use crate::graph::{Graph, NodeIndex, ResourceId};
use crate::plan::Plan;
use crate::session::moment::Moment;
use crate::session::{DeclaredKind, Fetched, Guest, Login, NewImport, Permit, Pruning};
pub use runner::Runner;

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// The next five need the terminal: the loop does them itself.
    Quit,
    Suspend,
    Repaint,
    Edit {
        path: PathBuf,
        line: u32,
    },
    /// Asks `sudo` whether the user may be root; it may want a password.
    AskSudo {
        run: u64,
    },
    /// Text for the clipboard, through the terminal.
    Copy(String),
    /// Reads the saved state of the last session.
    Recall,
    /// Loads a theme by its name.
    Theme(String),
    /// Has the files of the settings watched.
    FollowSettings,
    /// Reads the settings again, for a background that the terminal reported.
    ReadSettings {
        light: Option<bool>,
    },
    /// Writes what the log shows to a new file.
    SaveLog {
        path: PathBuf,
        text: String,
    },
    LoadModules,
    /// What pickers ask for.
    Find(Order),
    /// Fetches, or checks for updates; with permissions beyond the settings.
    Download {
        wanted: Wanted,
        permits: BTreeSet<Permit>,
    },
    PlanImport(NewImport),
    PlanPruning,
    PruneModules(Pruning),
    StopDownload,
    /// The answer to a question for a login.
    Login(Option<Login>),
    Approve(Vec<Fetched>),
    /// Reads what changed in a module since it was approved last.
    Review(Fetched),
    Compile {
        turn: u64,
    },
    /// Compiles for another node from then on.
    PickNode(String),
    /// Ends a job that can be ended; what it has done so far is dropped.
    Cancel(Job),
    /// Draws the graph.
    Draw {
        program: Arc<Program>,
        ask: Box<graph::Ask>,
        number: u64,
    },
    /// Writes the graph down.
    Export(Box<Export>),
    /// Starts to watch the program's inputs.
    Watch {
        run: u64,
    },
    EndWatch,
    /// Watches the applied resources of a graph.
    WatchDrift {
        graph: Arc<Graph>,
        run: u64,
    },
    EndDrift(u64),
    /// Watches what a plan was made of.
    WatchPlan {
        graph: Arc<Graph>,
        plan: Arc<Plan>,
        run: u64,
    },
    EndPlanWatch,
    /// Indexes the graph of a moment.
    Index {
        /// The kinds that its program declares.
        kinds: Arc<[DeclaredKind]>,
        moment: Arc<Moment>,
        run: u64,
    },
    ReadFile {
        path: PathBuf,
    },
    ReadReadme(PathBuf),
    Paint {
        name: Arc<str>,
        path: Option<PathBuf>,
        text: Arc<str>,
    },
    /// `path` is none for code that came as text.
    LookUp {
        path: Option<PathBuf>,
        name: Arc<str>,
        spot: Spot,
        asked: Asked,
        /// The program whose graph knows more of a resource, and which of its nodes is meant where that is clear.
        graphed: Option<(Arc<Program>, Option<NodeIndex>)>,
    },
    Plan {
        program: Arc<Program>,
        turn: u64,
    },
    /// Re-checks some resources of a plan and their dependents.
    LookAgain(Box<Looked>),
    /// Holds a saved plan against what is so now.
    OpenPlan {
        file: PathBuf,
        program: Arc<Program>,
        turn: u64,
    },
    /// Notes that a plan was made.
    NotePlan(Arc<Plan>),
    StartRun {
        program: Arc<Program>,
        run: u64,
    },
    Send(Request),
    /// Begins a live run of what was planned.
    Arm {
        program: Arc<Program>,
        plan: Arc<Plan>,
        left_out: BTreeSet<ResourceId>,
        run: u64,
        as_root: bool,
    },
    /// Resumes an interrupted deploy.
    Resume {
        program: Arc<Program>,
        cut: Cut,
        decided: Option<Decided>,
        run: u64,
    },
    /// Has the live run retry a failed resource with the declaration of this program.
    Amend {
        program: Arc<Program>,
        resource: ResourceId,
        run: u64,
    },
    /// Gives up a live run, or an undo, that has not begun yet.
    GiveUp,
    /// Kills the running command of the live run.
    Abort,
    /// Leaves the live run to itself.
    LetGo,
    /// Ends the live run and gives its lock back.
    EndLive,
    /// Attaches to an applier.
    Attach {
        run: u64,
        guest: Guest,
    },
    /// Ends a detached applier.
    EndParked,
    /// Looks what taking a deploy back would do.
    ForeseeBack {
        deploy: u64,
        ask: u64,
    },
    /// Takes a deploy back.
    TakeBack {
        deploy: u64,
        decided: Option<Decided>,
        /// Its reports belong to this run.
        run: u64,
        as_root: bool,
    },
    ListDeploys,
    ReadDeploy(u64),
    /// Writes a deploy into a new file.
    ExportDeploy {
        deploy: u64,
        file: PathBuf,
    },
    CompareDeploys(u64, u64),
    /// Compares a plan with the last deploy of the entry.
    CompareWithLast {
        plan: Arc<Plan>,
        run: u64,
    },
    /// Compares two texts that are too long to do so at once.
    Diff {
        from: Arc<str>,
        to: Arc<str>,
    },
    /// Looks for an interrupted deploy; in root's history too, if `sudo` needs no password.
    LookBack {
        as_root: bool,
    },
    /// Checks again whenever a process starts or stops working on the history.
    FollowHistory(bool),
}
