//! The data of Plan: the plan, its run, breakpoints, skips, and the question in progress.

use crate::compare::report::Document;
use crate::graph::{Graph, ResourceId};
use crate::plan::stop::{BreakMode, Stop};
use crate::plan::{Action, Change, Plan};
use crate::session::against::Against;
use crate::session::history::{Differences, OnConflict};
use crate::session::{ApplierStatus, Outdated, Session};
use crate::tui::screen::step::live::data::State as Live;
use crate::tui::{
    keymap::Entry, list::ListPane, program::Program, screen::step::live::data::Cut, screen::step::phase::Phase,
    screen::step::rows::Rows, widget::list::List,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::{path::PathBuf, sync::Arc, time::Duration};

#[derive(Debug, Default)]
pub struct State {
    /// The planned program; the code may be newer.
    pub program: Option<Arc<Program>>,
    pub plan: Option<Arc<Plan>>,
    /// The plan before the last edit of the program.
    pub(super) previous: Option<Arc<Plan>>,
    /// The compilation that was planned.
    pub turn: u64,
    pub(super) later: Later,
    pub list: ListPane<Rows>,
    pub breaks: Breakpoints,
    pub skips: Skips,
    pub(super) cursor: Follow,
    pub phase: Phase,
    /// The steps that have run, oldest first, and whether each was skipped.
    pub(super) taken: Vec<(ResourceId, bool)>,
    /// Keys that wait for the run, each with its count.
    pub keys: Vec<(&'static Entry, usize)>,
    /// Counts runs, so that events of an ended run are ignored.
    pub run: u64,
    pub shows: Shows,
    pub live: Live,
    pub watch: Watch,
    /// The changes on the machine since the plan was made.
    pub stale: Stale,
    pub learned: Learned,
    /// How long the plan took to make.
    pub planned_in: Option<Duration>,
}

/// What other screens know of the shown plan, as of the last message.
#[derive(Debug, Default)]
pub struct Learned {
    /// Why it cannot be applied.
    pub(super) refused: Option<String>,
    /// Why its fetched modules prevent that.
    pub(super) strange: Option<String>,
}

#[derive(Debug, Default)]
pub struct Breakpoints {
    pub breakpoints: BTreeSet<ResourceId>,
    /// The breakpoints that are off.
    pub muted: BTreeSet<ResourceId>,
    /// What a continuing run does at a failure.
    pub break_mode: BreakMode,
    pub whens: Vec<When>,
    /// The breakpoints that the run has.
    pub(super) sent_breaks: BTreeSet<ResourceId>,
}

/// The steps that the user skips.
#[derive(Debug, Default)]
pub struct Skips {
    pub left_out: BTreeSet<ResourceId>,
    /// The resources to skip after a confirmation.
    pub(super) leaving: Vec<ResourceId>,
}

/// How the cursor follows the run.
#[derive(Debug, Default)]
pub struct Follow {
    /// The user moved the cursor away from where the run put it.
    pub(super) is_moved: bool,
    /// An event arrived while the user was typing.
    pub(super) is_behind: bool,
}

#[derive(Debug, Default)]
pub struct Shows {
    /// The plan's summary is shown until the first step, or until a row is selected.
    pub(super) summary: bool,
    /// The whole plan is shown as one diff.
    pub whole_diff: bool,
    /// The groups of the plan's summary.
    pub(super) groups: Vec<Group>,
    /// How many steps are known, predicted and unknown.
    pub(super) certain: [usize; 3],
    /// Shown instead of the summary, on request.
    pub(super) against: Option<Against>,
    /// A comparison on request, shown instead of the summary.
    pub(super) compared: Option<Box<Document>>,
    /// Only this resource, its requirements and its dependents are shown.
    pub(super) only: Option<ResourceId>,
    pub(super) panes: [List; 4],
    pub(super) output: Output,
}

/// What waits for a compilation or a plan.
#[derive(Debug, Default)]
pub struct Later {
    /// The steps to run again after the program was edited.
    pub(super) redo: Option<Redo>,
    /// Asks whether to resume the interrupted deploy once a current plan is ready.
    pub(super) asks_to_resume: bool,
    /// Resumes the interrupted deploy once the program is compiled for what that was made for.
    pub(super) resumes_next: bool,
    /// A saved plan that waits for the compilation, and whether that is for what the plan was made for.
    pub(super) opens_next: Option<(PathBuf, bool)>,
    /// The number of jumps back to the screen where the question was requested.
    pub(super) asked_from: Option<usize>,
    /// The plan that was last recorded.
    pub(super) noted: Option<String>,
    /// The history is watched because a deploy of it is unresolved.
    pub(super) follows_history: bool,
}

/// A breakpoint with a condition.
#[derive(Clone, Debug)]
pub struct When {
    /// The typed text.
    pub text: String,
    pub stop: Stop,
    pub is_on: bool,
    /// The matching steps of the shown plan.
    pub places: BTreeSet<ResourceId>,
}

/// Some steps of a plan, by their positions.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Their common action, if they have one.
    pub(super) action: Option<Action>,
    pub(super) name: String,
    pub(super) steps: Vec<usize>,
}

/// The steps to repeat, and the next one after them.
#[derive(Clone, Debug)]
pub struct Redo {
    pub(super) turns: Vec<(ResourceId, bool)>,
    pub(super) next: Option<ResourceId>,
    pub(super) why: Why,
    /// An event made steps pending: whether the cursor goes to the first of them.
    pub(super) goes: Option<bool>,
}

/// Why steps are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The program was edited during the run.
    Edited,
    /// The screens were closed during the run.
    Restored,
    /// One resource was re-checked, with its current declaration.
    Looked,
    /// An event changed the graph.
    Event,
}

/// How a resource became next, if not by the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picked {
    ByHand,
    /// Its step will be repeated.
    Again,
    /// It was next, or had failed, before steps were repeated.
    Before(Why),
    /// It had failed in the deploy before.
    Back,
}

/// A change by someone else or by a later deploy. Nothing was done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    pub of: Of,
    /// The newest later deploy, if later deploys made all of the changes.
    pub by: Option<u64>,
    /// The differences, one line per operation.
    pub lines: Vec<String>,
    pub changes: Differences,
}

/// The blocked action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    Undo { deploy: u64, as_root: bool },
    Resume(Cut),
}

/// An answer, with the conflict that was shown: it applies to nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub on_conflict: OnConflict,
    pub changes: Differences,
}

/// The progress of an edit after a failure, up to the retry.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EditRetry {
    #[default]
    Not,
    /// The source for this resource is edited, and read again.
    Edits(ResourceId),
    /// The question is shown: use the edit in the deploy, or else in a new one.
    Asks { id: ResourceId, within: Option<Vec<Change>> },
    /// The run retries this one with the edit, and checks it.
    Amends(ResourceId),
    /// The new deploy is on its way there.
    Back(WayBack),
}

/// The steps that a new deploy checks before it returns to the failed one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayBack {
    pub(super) looks: VecDeque<ResourceId>,
    pub(super) to: ResourceId,
    /// The first of these was made next.
    pub(super) is_picked: bool,
}

/// The request, and its result.
#[derive(Clone, Debug)]
pub struct Looked {
    /// The plan's program, with the new declarations of the re-checked resources.
    pub program: Arc<Program>,
    pub plan: Arc<Plan>,
    /// Counts the plans, so that an answer to an older one is dropped.
    pub run: u64,
    /// The compilation of that program.
    pub turn: u64,
    /// The selected resource; `None` after an edit.
    pub resource: Option<ResourceId>,
    pub looked: BTreeSet<ResourceId>,
}

/// A saved plan, and the current plan.
#[derive(Debug)]
pub struct Opened {
    pub program: Arc<Program>,
    /// The plan for the current state.
    pub plan: Arc<Plan>,
    /// The compilation that was planned.
    pub turn: u64,
    /// The parts of the saved plan that are outdated, in words.
    pub moved: Vec<String>,
}

/// The entry, opened for what a plan or a deploy was compiled for.
#[derive(Debug)]
pub struct Reopened {
    pub(super) session: Arc<Session>,
    /// The node and the options in words; empty if all is the default.
    pub(super) words: String,
    pub(super) next: Next,
}

/// What continues once it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A saved plan is opened.
    Plan(PathBuf),
    /// An interrupted deploy is resumed.
    Resume,
    /// A run that these screens are attached to.
    Run,
}

/// The saved part of a dry run; it is valid only for the plan with that hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    pub(super) plan: String,
    /// The steps that ran, as positions in the plan: `0-11 x12 14`; `x` marks a skipped one.
    pub(super) turns: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

#[derive(Debug, Default)]
pub struct Watch {
    /// Counts watches, so that reports of an ended watch are ignored.
    pub(super) run: u64,
    pub(super) applied: Applied,
    /// How many resources are watched, and of how many.
    pub(super) watched: Option<(usize, usize)>,
    /// The touched resources that are not shown yet.
    pub(super) touched: BTreeSet<ResourceId>,
    /// Those that were not touched again since a plan was requested.
    pub(super) asked: BTreeSet<ResourceId>,
    /// The resources that had drifted at the last check, or whose declaration changed since.
    pub(super) differ: BTreeSet<ResourceId>,
    /// The resources whose declaration changed since they were applied.
    pub(super) program_changed: BTreeSet<ResourceId>,
    /// The event that will be shown, and the resources that it changes.
    pub(super) event: Option<(Arc<Program>, BTreeSet<ResourceId>)>,
    pub(super) check: Check,
    /// The touched resources will be checked once the user stops typing.
    pub(super) is_behind: bool,
    pub(super) advance: Advance,
    /// How far the dry run advanced without a key.
    pub(super) rests: usize,
}

/// The program whose resources were applied.
#[derive(Debug, Default)]
pub(super) enum Applied {
    #[default]
    Nothing,
    Watched(Arc<Program>),
    /// An undo is checked: it is watched again if there is none.
    Held(Arc<Program>),
    /// Watching is off.
    Paused(Arc<Program>),
}

/// The plan for touched resources.
#[derive(Debug, Default)]
pub(super) enum Check {
    #[default]
    None,
    /// A plan of this program is being made.
    Planning(Arc<Program>),
    /// The plan for the touched resources is ready, and is shown next.
    Planned,
}

/// The dry run continues without a key.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Advance {
    #[default]
    None,
    /// The user had not stepped on when an event made steps pending: it continues once they are repeated.
    AfterEvent,
    /// To this resource, once the run waits.
    To(ResourceId),
    /// The run continues to the resource.
    Going,
}

/// The known stale resources.
#[derive(Debug, Default)]
pub struct Stale {
    /// Counts watches, so that reports of an ended watch are ignored.
    pub(super) run: u64,
    /// The watched plan, with its graph.
    pub(super) watched: Option<(Arc<Graph>, Arc<Plan>)>,
    pub(super) found: Outdated,
}

#[derive(Debug, Default)]
pub struct Output {
    /// The log number of the line at the bottom; `None` for the newest.
    pub(super) last: Option<usize>,
}

/// Reports about an applier in a process of its own.
#[derive(Clone, Debug)]
pub enum Notice {
    /// It is detached and waiting.
    Waits(ApplierStatus),
    /// A process is attached to it.
    Driven(ApplierStatus),
    /// We drive it from now on; its past events follow as events of this run. `is_other`: it belongs to another entry than
    /// these screens.
    Attached { run: u64, status: ApplierStatus, is_other: bool, program: Arc<Program>, plan: Arc<Plan> },
    /// It undoes a deploy, and continues.
    Undoing { run: u64, status: ApplierStatus },
    /// It cannot be attached to, and why.
    NotAttached { run: u64, lines: Vec<String> },
    /// It was ended as requested, or why not.
    Ended(Result<ApplierStatus, String>),
    /// Another process drives it now.
    Taken { run: u64, by: u32 },
    /// Another process ended it.
    EndedThere { run: u64 },
    /// It was killed.
    Lost { run: u64 },
    /// We detached from it.
    Left { run: u64 },
}
