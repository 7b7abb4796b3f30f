//! Step: a run, one resource at a time, with the step, its reason, its changes and its dependents at each stop.
//!
//! [`planning`] takes a plan and starts its run, [`turns`] sends the requests of keys, [`run_event`] handles the run's
//! events and updates the [`rows`]; [`certain`] decides how certain each prediction is. [`cursor`] is the selection;
//! [`order`], [`panes`], [`summary`] and [`output`] draw. [`breaks`] has the breakpoints and [`skip`] the skips.
//! [`live`] is the apply on this machine; [`watch`] watches the applied resources, and [`stale`] the inputs of a plan.

pub mod adopt;
pub mod against;
pub mod breaks;
mod certain;
pub mod changes;
pub mod conflict;
mod cursor;
mod run_event;
pub mod skip;
pub mod live;
pub mod edit_retry;
mod order;
pub mod observe;
mod panes;
pub mod detached;
mod planning;
pub mod redo;
mod reopen;
mod rows;
mod output;
pub mod saved;
pub mod stale;
pub mod status;
mod summary;
mod turns;
pub mod unfinished;
pub mod watch;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use rustc_hash::FxHashMap;

use super::{Pane, ScreenId};
use crate::engine::message::{Pause, READY_SHOWN, Request, TurnState};
use crate::engine::run_view::End;
use crate::graph::ResourceId;
use crate::plan::stop::BreakMode;
use crate::plan::{Action as Plans, Plan, Step, Summary};
use crate::session::against::Against;
use crate::tui::keymap::{Action, Entry};
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::state::State as Tui;
use crate::tui::widget::list::List;
use crate::tui::widget::text;
pub use changes::change_lines;
pub use cursor::{clamp, click, filter, go, select, show_summary, widen};
use cursor::{look_around, toggle_only};
use live::Phase;
pub use order::seconds;
use planning::reset;
pub use planning::{
    asked, catch_up, entered, graph_differs, is_of_now, not_planned, plan, planned, read_again, restored, why_not,
};
use rows::{Row, Rows};
pub use run_event::on_event;
pub use turns::{act, agreed, stop};

/// The state of the screen.
#[derive(Debug, Default)]
pub struct State {
    /// The planned program; the code may be newer.
    program: Option<Arc<Program>>,
    pub plan: Option<Arc<Plan>>,
    /// The compilation that was planned.
    pub turn: u64,
    /// Resumes the interrupted deploy once the program is compiled for what that was made for.
    resumes_next: bool,
    /// A saved plan that waits for the compilation, and whether that is for what the plan was made for.
    opens_next: Option<(PathBuf, bool)>,
    /// The plan that was last recorded.
    noted: Option<String>,
    rows: Rows,
    pub breakpoints: BTreeSet<ResourceId>,
    /// The breakpoints that are off.
    pub muted: BTreeSet<ResourceId>,
    /// What a continuing run does at a failure.
    pub break_mode: BreakMode,
    /// The resources to skip.
    pub left_out: BTreeSet<ResourceId>,
    /// The resources to skip after a confirmation.
    leaving: Vec<ResourceId>,
    /// Breakpoints with conditions.
    pub whens: Vec<breaks::When>,
    /// The breakpoints that the run has.
    sent_breaks: BTreeSet<ResourceId>,
    /// The next step is the first ready one in the source order.
    is_first: bool,
    /// The resource that became next out of order, and how.
    picked: Option<(ResourceId, redo::Picked)>,
    /// The number of jumps back to the screen where the question was requested.
    asked_from: Option<usize>,
    /// The history is watched because a deploy of it is unresolved.
    follows_history: bool,
    /// A request is in progress.
    pub running: bool,
    /// The request in progress, other than single steps.
    going: Option<Request>,
    /// The cursor follows the running rows: the run continues, and the user has not moved the cursor.
    follows: bool,
    /// The user moved the cursor away from where the run put it.
    is_moved: bool,
    /// An event arrived while the user was typing.
    is_behind: bool,
    /// Steps became pending again: whether the cursor goes to the first of them once the run is there.
    reopened: Option<bool>,
    /// When it was requested, on the jobs' clock.
    since: Option<Duration>,
    /// A single step, or the run's start, is in progress: further steps may queue behind it.
    pub stepping: bool,
    /// How many single steps are still queued, from a count or from fast keys.
    queued_steps: usize,
    /// Requests from before the run reported that it waits, each with its count.
    put_off: Vec<(&'static Entry, usize)>,
    /// Counts runs, so that events of an ended run are ignored.
    pub run: u64,
    finished: bool,
    /// The steps that have run, oldest first, and whether each was skipped.
    taken: Vec<(ResourceId, bool)>,
    /// The steps to run again after the program was edited.
    redo: Option<redo::Redo>,
    /// How many pauses of repeated steps are still to come.
    redoing: usize,
    /// The log lines of steps that run again.
    logged: Option<FxHashMap<ResourceId, usize>>,
    /// The plan's summary is shown until the first step, or until a row is selected.
    summary: bool,
    /// The whole plan is shown as one diff.
    pub whole_diff: bool,
    /// The groups of the plan's summary.
    groups: Vec<summary::Group>,
    /// How many steps are known, predicted and unknown.
    certain: [usize; 3],
    /// Shown instead of the summary, on request.
    against: Option<Against>,
    pub words: String,
    /// Only this resource, its requirements and its dependents are shown.
    only: Option<ResourceId>,
    list: List,
    panes: [List; 4],
    output: output::State,
    pub live: live::State,
    pub watch: watch::State,
    /// The changes on the machine since the plan was made.
    pub stale: stale::State,
    /// How long the plan took to make.
    pub planned_in: Option<Duration>,
}

impl State {
    /// Whether another event follows without a key, although the run pauses.
    pub fn is_ending(&self) -> bool {
        self.rows.run.end == End::Pending
    }

    /// Whether a single step, or the run's start, is in progress.
    fn is_stepping(&self) -> bool {
        self.running && self.stepping
    }

    /// Whether a dry run has not reported yet that it waits: this takes an instant, so keys are not refused.
    fn is_starting(&self) -> bool {
        self.is_stepping() && self.rows.run.why.is_none() && self.live.phase == Phase::Dry
    }

    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref()
    }

    pub fn is_loaded(&self) -> bool {
        self.plan.is_some()
    }

    /// Whether the selected row has a diff.
    pub fn has_diff(&self) -> bool {
        !self.summary && self.cursor_id().and_then(|id| self.step_of(id)).is_some_and(changes::has_texts)
    }

    pub fn shows_summary(&self) -> bool {
        self.summary
    }

    pub fn cursor_id(&self) -> Option<&ResourceId> {
        self.rows.shown(self.list.cursor).map(|row| &row.id)
    }

    pub fn next_id(&self) -> Option<&ResourceId> {
        self.rows.run.next.as_ref()
    }

    /// The steps that could be next.
    #[cfg(test)]
    pub fn ready_ids(&self) -> impl Iterator<Item = &ResourceId> {
        self.rows.run.ready.iter()
    }

    pub fn cursor_waits(&self) -> bool {
        self.rows.shown(self.list.cursor).is_some_and(|row| row.state == TurnState::Waiting)
    }

    pub fn cursor_is_ready(&self) -> bool {
        // If not all of them were reported, the run decides.
        let may_be = self.rows.run.ready.len() >= READY_SHOWN && self.cursor_waits();
        !self.running && self.cursor_id().is_some_and(|id| may_be || self.rows.run.ready.contains(id))
    }

    /// Whether the selected row is the next one, and visible.
    pub fn cursor_is_next(&self) -> bool {
        !self.running && !self.summary && self.next_id().is_some() && self.cursor_id() == self.next_id()
    }

    /// Whether a skip concerns the selected row, which failed, and not the next step.
    pub fn leaves_out_failed(&self) -> bool {
        !self.running && self.cursor_failed()
    }

    /// Why the selected row cannot be skipped; `None` if it can, or is already skipped.
    pub fn why_not_skipped(&self) -> Option<String> {
        let Some(row) = self.rows.shown(self.list.cursor) else { return Some("no rows".into()) };
        let id = &row.id;
        match &row.state {
            TurnState::Waiting if self.live.is_live() && self.left_out.contains(id) => {
                Some(format!("{id} will be skipped; r retries it after that"))
            }
            TurnState::Waiting | TurnState::Failed { .. } => None,
            TurnState::Running => Some(format!("{id} is running")),
            TurnState::Done if self.live.is_live() => Some(format!("{id} is already done")),
            TurnState::Done => Some(format!("{id} is already done; Z steps back before it")),
            TurnState::Skipped => Some(format!("{id} is already skipped; r retries it")),
            TurnState::Blocked { by } => Some(format!("{id} is blocked by {by}")),
        }
    }

    pub fn cursor_can_retry(&self) -> bool {
        let row = self.rows.shown(self.list.cursor);
        row.is_some_and(|row| matches!(row.state, TurnState::Failed { .. } | TurnState::Skipped))
    }

    /// Whether the plan changes anything.
    pub fn has_work(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| !plan.steps.iter().all(is_idle))
    }

    /// Whether a resource is unchanged and has no refresh.
    fn is_idle(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(is_idle)
    }

    /// Whether all steps have run.
    pub fn is_at_end(&self) -> bool {
        self.is_loaded() && !self.running && self.next_id().is_none()
    }

    /// Whether a breakpoint is on a pending step, which can be run to.
    pub fn has_break_ahead(&self) -> bool {
        let waits = |id: &ResourceId| self.rows.find(id).is_some_and(|row| row.state == TurnState::Waiting);
        self.breakpoints.iter().any(|id| waits(id) && self.next_id() != Some(id))
    }

    /// Whether a breakpoint is on the next step.
    pub fn has_break_next(&self) -> bool {
        self.next_id().is_some_and(|next| self.breakpoints.contains(next))
    }

    /// Whether it ran to a breakpoint, or to the requested step.
    pub fn has_run_to(&self) -> bool {
        matches!(self.rows.run.why, Some(Pause::Breakpoint | Pause::Cursor))
    }

    /// Whether a deploy is shown, one is interrupted, or one of this session is applied.
    pub fn is_to_roll_back(&self) -> bool {
        self.live.shows_live() || self.live.cut.is_some() || self.applied_run().is_some()
    }

    /// How many steps have run.
    pub fn turned(&self) -> usize {
        self.rows.turned()
    }

    pub fn has_turned(&self) -> bool {
        self.rows.turned() > 0
    }

    /// The result of a resource's step, or its planned step.
    pub fn step_of(&self, id: &ResourceId) -> Option<&Step> {
        self.step_of_row(self.rows.find(id)?)
    }

    fn step_of_row<'a>(&'a self, row: &'a Row) -> Option<&'a Step> {
        row.step.as_deref().or_else(|| self.plan.as_ref()?.steps.get(row.more.planned))
    }

    /// Why a resource failed or would fail, after the word for which of the two it is.
    pub fn failure_of(&self, id: &ResourceId) -> Option<(&'static str, &str)> {
        match (&self.rows.find(id)?.state, self.step_of(id)) {
            (TurnState::Failed { error, .. }, _) => Some(("failed", error)),
            (_, Some(step)) => Some(("would fail", step.error.as_deref()?)),
            (_, None) => None,
        }
    }

    /// Whether the plan changes a resource.
    pub fn changes(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(|step| !is_idle(step))
    }

    /// The planned action of a resource.
    pub fn action_of(&self, id: &ResourceId) -> Option<Plans> {
        self.step_of(id).map(|step| step.action)
    }

    /// The status of a resource, as queries name it.
    pub fn state_word(&self, id: &ResourceId) -> &'static str {
        self.rows.find(id).map_or("waiting", |row| rows::state_word(&row.state))
    }

    pub fn is_refreshed(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(|step| step.refresh)
    }

    /// The status glyph of a resource; before there is a plan, its breakpoint or skip mark, if any.
    pub fn glyph_of(&self, look: &Look, id: &ResourceId) -> Option<(&'static str, Style)> {
        let row = self.rows.find(id).map(|row| self.glyph_of_row(look, row));
        row.or_else(|| self.set_up(look, id))
    }

    fn set_up(&self, look: &Look, id: &ResourceId) -> Option<(&'static str, Style)> {
        if self.is_left_out(id, &TurnState::Waiting) {
            Some((look.glyphs.skipped, look.style(Role::Skipped)))
        } else if self.stops_at(id) {
            Some((look.glyphs.breakpoint, look.style(Role::Breakpoint)))
        } else {
            None
        }
    }

    fn glyph_of_row(&self, look: &Look, row: &Row) -> (&'static str, Style) {
        let id = &row.id;
        if self.next_id() == Some(id) && !self.running {
            (look.glyphs.next, look.style(Role::Active))
        } else if row.more.is_cut_off {
            ("?", look.style(Role::Unknown))
        } else if self.is_left_out(id, &row.state) {
            (look.glyphs.skipped, look.style(Role::Skipped))
        } else if breaks::is_ahead(self, id, &row.state) {
            (look.glyphs.breakpoint, look.style(Role::Breakpoint))
        } else {
            look.turn(&row.state)
        }
    }
}

/// Queues a key while the run is starting or its first plan is being made: it is handled, or refused, once the run
/// waits.
pub fn puts_off(tui: &mut Tui, entry: &'static Entry, count: usize) -> bool {
    let drives = matches!(
        entry.action,
        Action::Step | Action::Continue | Action::Over | Action::Skip | Action::StepBack | Action::Arm | Action::Resume
    );
    let is_planned = !tui.step.is_loaded() && [Job::Compile, Job::Plan].iter().any(|job| tui.is_working(*job));
    let waits_for_plan = is_planned && drives && tui.screen == ScreenId::Step;
    if waits_for_plan {
        tui.show_notice(Role::Note, "planning: your keys run when the plan is ready (Ctrl-C drops them)");
    }
    let puts_off = waits_for_plan || tui.step.is_starting();
    if puts_off {
        tui.step.put_off.push((entry, count));
    }
    puts_off
}

/// Drops the queued keys; false if there were none.
pub fn forget_keys(tui: &mut Tui) -> bool {
    !std::mem::take(&mut tui.step.put_off).is_empty()
}

/// Queues a cursor key, or one that acts at the cursor, behind queued steps, so that it acts on the row that they lead
/// to.
pub fn puts_in_order(tui: &mut Tui, entry: &'static Entry, count: usize) -> bool {
    use Action::{Breakpoint, Go, LeaveOut, Open, Skip};
    let is_bound = matches!(entry.action, Go(_) | Open | Breakpoint | LeaveOut | Skip);
    let is_behind = tui.step.queued_steps > 0 || !tui.step.put_off.is_empty();
    tui.screen == ScreenId::Step && is_bound && is_behind && puts_off(tui, entry, count)
}

fn is_idle(step: &Step) -> bool {
    step.action == Plans::None && !step.refresh && step.error.is_none()
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane {
        Pane::Order => order::view(tui, buf, area),
        Pane::Output => output::view(tui, buf, area),
        _ => panes::view(tui, buf, pane, area),
    }
}

/// The counts of a summary that are not zero, each with its letter.
pub fn counts(look: &Look, summary: &Summary) -> Vec<(String, Style)> {
    let refresh = (look.glyphs.refresh, look.style(Role::Refresh));
    let all = [
        (look.action(Plans::None), summary.none),
        (look.action(Plans::Create), summary.create),
        (look.action(Plans::Change), summary.change),
        (look.action(Plans::Replace), summary.replace),
        (look.action(Plans::Remove), summary.remove),
        (look.action(Plans::Run), summary.run),
        (look.action(Plans::Unknown), summary.unknown),
        (refresh, summary.refresh),
    ];
    all.into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|((letter, style), count)| (format!("{letter}{count}"), style))
        .collect()
}

/// A resource's name, cut to this many columns.
pub fn name(id: &ResourceId, room: usize, look: &Look) -> String {
    text::fit_middle(&id.to_string(), room, look.glyphs.cut).into_owned()
}
