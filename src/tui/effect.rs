//! Work that `update` requests: done on worker threads, whose results come back as messages.
//!
//! The [`Runner`] carries out each [`Effect`]: at once if that only passes something on, else on its own thread. The
//! work of such a thread is a function that returns one message: [`themes`], [`settings`], [`files`], [`programs`],
//! [`history`]. Longer work that reports more than once has its own room: runs, fetching, finding.

mod files;
mod history;
mod saving;
mod programs;
mod runner;
mod settings;
mod themes;

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use super::screen::step::data::{Decided, Looked};
use super::{
    keymap::Asked, message::Job, parts::Order, program::Program, screen::code::doc::Spot, screen::graph::data::Export,
    screen::graph::draw, screen::modules::data::Task, screen::step::live::data::Cut, screen::step::phase::DryRequest,
};
use crate::engine::message::Request;
use crate::graph::{Graph, NodeIndex, ResourceId};
use crate::plan::{CompiledFor, Plan};
use crate::session::compare::Ask;
use crate::session::moment::Moment;
use crate::session::{DeclaredKind, Fetched, Guest, Login, NewImport, Permit, Pruning, Session};
pub use runner::Runner;

/// The program whose graph has more about a resource, and the node if it is unambiguous.
pub type Graphed = Option<(Arc<Program>, Option<NodeIndex>)>;

/// The requested work.
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
    /// Asks `sudo` whether the user may become root; it may want a password.
    AskSudo {
        run: u64,
    },
    /// Text for the clipboard, sent through the terminal.
    Copy(String),
    /// Reads the saved state of the last session.
    Recall,
    Theme(String),
    FollowSettings,
    /// Reads the settings again, for the background that the terminal reported.
    ReadSettings {
        light: Option<bool>,
    },
    SaveLog {
        path: PathBuf,
        text: String,
    },
    LoadModules,
    /// A request of a picker.
    Find(Order),
    /// Fetches, or checks for updates; with permissions beyond the settings.
    Download {
        wanted: Task,
        permits: BTreeSet<Permit>,
    },
    PlanImport(NewImport),
    PlanPruning,
    PruneModules(Pruning),
    StopDownload,
    /// The answer to a question for a login.
    Login(Option<Login>),
    Approve(Vec<Fetched>),
    /// Reads what changed in a module since it was last approved.
    Review(Fetched),
    Compile {
        turn: u64,
    },
    /// Compiles for another node from then on.
    PickNode(String),
    /// Cancels a job and drops its partial result.
    Cancel(Job),
    Draw {
        program: Arc<Program>,
        ask: Box<draw::Ask>,
        number: u64,
    },
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
    /// Watches the inputs of a plan.
    WatchPlan {
        graph: Arc<Graph>,
        plan: Arc<Plan>,
        run: u64,
    },
    EndPlanWatch,
    /// Indexes the graph of a moment. `kinds`: those that its program declares.
    Index {
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
        graphed: Graphed,
    },
    Plan {
        program: Arc<Program>,
        turn: u64,
    },
    /// Re-checks some resources of a plan and their dependents.
    LookAgain(Box<Looked>),
    /// Opens the entry for what an interrupted deploy was compiled for.
    Reopen {
        deploy: u64,
        then: Box<CompiledFor>,
    },
    /// All later effects are of this session.
    UseSession(Arc<Session>),
    NoteRefused,
    /// Compares a saved plan with the current state. `is_adopted`: the program is compiled as the plan was.
    OpenPlan {
        is_adopted: bool,
        file: PathBuf,
        program: Arc<Program>,
        turn: u64,
    },
    NotePlan(Arc<Plan>),
    StartRun {
        program: Arc<Program>,
        run: u64,
    },
    /// Moves the dry run.
    Rehearse(DryRequest),
    /// Moves the live run.
    Send(Request),
    /// Starts a live run of a plan.
    Arm {
        program: Arc<Program>,
        plan: Arc<Plan>,
        left_out: BTreeSet<ResourceId>,
        run: u64,
        as_root: bool,
    },
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
    /// Cancels a live run or an undo that has not started yet.
    GiveUp,
    /// Kills the running command of the live run.
    Abort,
    /// Detaches from the live run.
    LetGo,
    EndLive,
    Attach {
        run: u64,
        guest: Guest,
    },
    EndDetached,
    PlanUndo {
        deploy: u64,
        ask: u64,
    },
    /// Its reports belong to the run.
    Undo {
        deploy: u64,
        decided: Option<Decided>,
        run: u64,
        as_root: bool,
    },
    ListDeploys,
    ReadDeploy(u64),
    ExportDeploy {
        deploy: u64,
        file: PathBuf,
    },
    CompareDeploys(u64, u64),
    /// Compares a plan with the last deploy of the entry.
    CompareWithLast {
        plan: Arc<Plan>,
        program: Option<Arc<Program>>,
        run: u64,
    },
    /// Compares the entry with a revision, or for two nodes.
    Compare {
        ask: Ask,
        run: u64,
    },
    /// Compares two texts that are too long to compare within a frame.
    Diff {
        from: Arc<str>,
        to: Arc<str>,
    },
    /// Looks for an interrupted deploy; in root's history too, if `sudo` needs no password.
    Inspect {
        as_root: bool,
    },
    /// Checks again whenever a process starts or stops using the history.
    FollowHistory(bool),
}
