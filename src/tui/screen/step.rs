//! Step: a run, one resource at a time, with the step, its reason, its changes and its dependents at each stop.
//!
//! [`planning`] takes a plan and starts its run, [`turns`] sends the requests of keys, [`run_event`] handles the run's
//! events and updates the [`rows`]; [`certain`] decides how certain each prediction is. [`cursor`] is the selection;
//! [`order`], [`panes`], [`summary`] and [`output`] draw. [`breaks`] has the breakpoints and [`skip`] the skips.
//! [`phase`] has the data of each phase, [`live`] is the apply on this machine; [`watch`] watches the applied resources,
//! and [`stale`] the inputs of a plan.

pub mod against;
pub mod compared;
pub mod breaks;
mod front;
mod certain;
pub mod changes;
pub mod conflict;
mod cursor;
mod folds;
mod run_event;
pub mod skip;
pub mod live;
pub mod edit_retry;
mod order;
pub mod observe;
mod panes;
pub mod detached;
pub mod phase;
mod planning;
pub mod redo;
mod rows;
mod output;
pub mod saved;
pub mod stale;
pub mod status;
mod summary;
mod turns;
pub mod watch;
pub mod words;
pub mod data;

use crate::tui::{
    cx::Cx, front::Front, message::Job, program::Program, screen::step::data::Learned, widget::list::Move,
};
use std::sync::Arc;

use ratatui::prelude::{Buffer, Rect, Style};

use super::{Beside, Pane, Screen, ScreenId};
use crate::engine::message::{Pause, READY_SHOWN, TurnState};
use crate::engine::run_view::End;
use crate::graph::ResourceId;
use crate::plan::policy::Violation;
use crate::plan::{Action as Plans, Step};
use crate::tui::keymap::{Action, Entry};
use crate::tui::look::{Look, Role, action_word};
pub use crate::tui::screen::step::data::{State, State as PlanScreen};
pub use changes::change_lines;
pub use cursor::{select, show_summary, widen};
use phase::Busy;
pub use planning::{
    asked, catch_up, entered, graph_differs, not_planned, plan, planned, read_again, restored, why_not,
};
use rows::Row;
pub use run_event::on_event;
pub use turns::{agreed, stop};
pub use words::{counts, is_idle, name, seconds};

impl State {
    /// Whether another event follows without a key, although the run pauses.
    pub fn is_ending(&self) -> bool {
        self.list.rows.run.end == End::Pending
    }

    /// Whether a single step, or the run's start, is in progress.
    pub fn is_stepping(&self) -> bool {
        self.phase.run().is_some_and(|run| matches!(run.busy, Some(Busy::Stepping { .. })))
    }

    /// The keys that waited for the run. A failure drops them.
    pub fn take_queued_keys(&mut self) -> Vec<(&'static Entry, usize)> {
        let queued = std::mem::take(&mut self.keys);
        if self.list.rows.run.why == Some(Pause::Failure) { vec![] } else { queued }
    }

    /// Whether a dry run has not reported yet that it waits: this takes an instant, so keys are not refused.
    fn is_starting(&self) -> bool {
        self.is_stepping() && self.list.rows.run.why.is_none() && self.phase.is_dry()
    }

    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref()
    }

    pub fn is_loaded(&self) -> bool {
        self.plan.is_some()
    }

    /// Whether the selected row has a diff.
    pub fn has_diff(&self) -> bool {
        !self.shows.summary && self.cursor_id().and_then(|id| self.step_of(id)).is_some_and(changes::has_texts)
    }

    pub fn shows_summary(&self) -> bool {
        self.shows.summary
    }

    pub fn cursor_id(&self) -> Option<&ResourceId> {
        self.list.rows.shown(self.list.cursor()).map(|row| &row.id)
    }

    pub fn next_id(&self) -> Option<&ResourceId> {
        self.list.rows.run.next.as_ref()
    }

    /// The steps that could be next.
    #[cfg(test)]
    pub fn ready_ids(&self) -> impl Iterator<Item = &ResourceId> {
        self.list.rows.run.ready.iter()
    }

    pub fn cursor_waits(&self) -> bool {
        self.list.rows.shown(self.list.cursor()).is_some_and(|row| row.state == TurnState::Waiting)
    }

    pub fn cursor_is_ready(&self) -> bool {
        // If not all of them were reported, the run decides.
        let may_be = self.list.rows.run.ready.len() >= READY_SHOWN && self.cursor_waits();
        !self.is_running() && self.cursor_id().is_some_and(|id| may_be || self.list.rows.run.ready.contains(id))
    }

    /// Whether the selected row is the next one, and visible.
    pub fn cursor_is_next(&self) -> bool {
        !self.is_running() && !self.shows.summary && self.next_id().is_some() && self.cursor_id() == self.next_id()
    }

    /// Whether a skip concerns the selected row, which failed, and not the next step.
    pub fn leaves_out_failed(&self) -> bool {
        !self.is_running() && self.cursor_failed()
    }

    /// Why the selected row cannot be skipped; `None` if it can, or is already skipped.
    pub fn why_not_skipped(&self) -> Option<String> {
        let Some(row) = self.list.rows.shown(self.list.cursor()) else { return Some("no rows".into()) };
        let id = &row.id;
        match &row.state {
            TurnState::Waiting if self.phase.is_live() && self.skips.left_out.contains(id) => {
                Some(format!("{id} will be skipped; r retries it after that"))
            }
            TurnState::Waiting | TurnState::Failed { .. } => None,
            TurnState::Running => Some(format!("{id} is running")),
            TurnState::Done if self.phase.is_live() => Some(format!("{id} is already done")),
            TurnState::Done => Some(format!("{id} is already done; Z steps back before it")),
            TurnState::Skipped => Some(format!("{id} is already skipped; r retries it")),
            TurnState::Blocked { by } => Some(format!("{id} is blocked by {by}")),
        }
    }

    pub fn cursor_can_retry(&self) -> bool {
        let row = self.list.rows.shown(self.list.cursor());
        row.is_some_and(|row| matches!(row.state, TurnState::Failed { .. } | TurnState::Skipped))
    }

    pub fn has_work(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| !plan.steps.iter().all(is_idle))
    }

    /// Whether a resource is unchanged and has no refresh.
    fn is_idle(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(is_idle)
    }

    pub fn is_at_end(&self) -> bool {
        self.is_loaded() && !self.is_running() && self.next_id().is_none()
    }

    /// Whether a breakpoint is on a pending step, which can be run to.
    pub fn has_break_ahead(&self) -> bool {
        let waits = |id: &ResourceId| self.list.rows.find(id).is_some_and(|row| row.state == TurnState::Waiting);
        self.breaks.breakpoints.iter().any(|id| waits(id) && self.next_id() != Some(id))
    }

    /// The policies that a resource breaks.
    pub fn violations<'s>(&'s self, id: &'s ResourceId) -> impl Iterator<Item = &'s Violation> {
        let all = self.plan.iter().flat_map(|plan| &plan.violations);
        all.filter(move |violation| violation.resources.contains(id))
    }

    pub fn has_break_next(&self) -> bool {
        self.next_id().is_some_and(|next| self.breaks.breakpoints.contains(next))
    }

    /// Whether it ran to a breakpoint, or to the requested step.
    pub fn has_run_to(&self) -> bool {
        matches!(self.list.rows.run.why, Some(Pause::Breakpoint | Pause::Cursor))
    }

    /// Whether a deploy is shown, one is interrupted, or one of this session is applied.
    pub fn is_to_roll_back(&self) -> bool {
        !self.phase.is_dry() || self.live.cut.is_some() || self.applied_run().is_some()
    }

    pub fn turned(&self) -> usize {
        self.list.rows.turned()
    }

    pub fn has_turned(&self) -> bool {
        self.list.rows.turned() > 0
    }

    /// The result of a resource's step, or its planned step.
    pub fn step_of(&self, id: &ResourceId) -> Option<&Step> {
        self.step_of_row(self.list.rows.find(id)?)
    }

    fn step_of_row<'a>(&'a self, row: &'a Row) -> Option<&'a Step> {
        row.step.as_deref().or_else(|| self.plan.as_ref()?.steps.get(row.more.planned))
    }

    /// Why a resource failed or would fail, after the word for which of the two it is.
    pub fn failure_of(&self, id: &ResourceId) -> Option<(&'static str, &str)> {
        match (&self.list.rows.find(id)?.state, self.step_of(id)) {
            (TurnState::Failed { error, .. }, _) => Some(("failed", error)),
            (_, Some(step)) => Some(("would fail", step.error.as_deref()?)),
            (_, None) => None,
        }
    }

    pub fn changes(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(|step| !is_idle(step))
    }

    pub fn action_of(&self, id: &ResourceId) -> Option<Plans> {
        self.step_of(id).map(|step| step.action)
    }

    /// The letter and the words for what a resource's step does; for one that fails or is blocked without a known
    /// action, that.
    pub fn sign_of(&self, look: &Look, id: &ResourceId) -> Option<(&'static str, &'static str, Style)> {
        let row = self.list.rows.find(id)?;
        Some(sign(look, &row.state, self.step_of_row(row)?))
    }

    /// The status of a resource, as queries name it.
    pub fn state_word(&self, id: &ResourceId) -> &'static str {
        self.list.rows.find(id).map_or("waiting", |row| rows::state_word(&row.state))
    }

    pub fn is_refreshed(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(|step| step.refresh)
    }

    /// The status glyph of a resource; before there is a plan, its breakpoint or skip mark, if any.
    pub fn glyph_of(&self, look: &Look, id: &ResourceId) -> Option<(&'static str, Style)> {
        let row = self.list.rows.find(id).map(|row| self.glyph_of_row(look, row));
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
        if self.next_id() == Some(id) && !self.is_running() {
            (look.glyphs.next, look.style(Role::Active))
        } else if row.more.is_cut_off {
            ("?", look.style(Role::Unknown))
        } else if self.is_left_out(id, &row.state) {
            (look.glyphs.skipped, look.style(Role::Skipped))
        } else if self.list.rows.is_blocked_by_skip(row) {
            (look.glyphs.blocked, look.style(Role::Blocked))
        } else if breaks::is_ahead(self, id, &row.state) {
            (look.glyphs.breakpoint, look.style(Role::Breakpoint))
        } else {
            look.turn(&row.state)
        }
    }
}

/// Learns from other screens what they know of the shown plan.
pub fn learn(front: Front<'_>) -> Learned {
    let Front { cx, step, modules, .. } = front;
    let arm = cx.entry_of(Action::Arm).filter(|_| cx.screen == ScreenId::Step && step.shows.summary);
    Learned { refused: arm.and_then(|arm| arm.enabled(front).err()), strange: live::strange(step, modules) }
}

/// The letter and the words of a step in this state.
fn sign(look: &Look, state: &TurnState, step: &crate::plan::Step) -> (&'static str, &'static str, Style) {
    let glyphs = look.glyphs;
    let is_pending = *state == TurnState::Waiting && !step.acts();
    match state {
        TurnState::Waiting if is_pending && step.error.is_some() => {
            (glyphs.failed, "would fail", look.style(Role::Failed))
        }
        TurnState::Waiting if is_pending => (glyphs.blocked, "would be blocked", look.style(Role::Blocked)),
        TurnState::Failed { .. } if step.action == Plans::Unknown => {
            (glyphs.failed, "failed", look.style(Role::Failed))
        }
        TurnState::Blocked { .. } if step.action == Plans::Unknown => {
            (glyphs.blocked, "blocked", look.style(Role::Blocked))
        }
        _ => {
            let (letter, style) = look.action(step.action);
            (letter, action_word(step.action), style)
        }
    }
}

/// Queues a key while the run is starting or its first plan is being made: it is handled, or refused, once the run
/// waits.
pub fn puts_off(screen: &mut PlanScreen, cx: &mut Cx, entry: &'static Entry, count: usize) -> bool {
    let drives = matches!(
        entry.action,
        Action::Step | Action::Continue | Action::Over | Action::Skip | Action::StepBack | Action::Arm | Action::Resume
    );
    let is_planned = !screen.is_loaded() && [Job::Compile, Job::Plan].iter().any(|job| cx.is_working(*job));
    let waits_for_plan = is_planned && drives && cx.screen == ScreenId::Step;
    if waits_for_plan {
        cx.show_notice(Role::Note, "planning: your keys run when the plan is ready (Ctrl-C drops them)");
    }
    let puts_off = waits_for_plan || screen.is_starting();
    if puts_off {
        screen.keys.push((entry, count));
    }
    puts_off
}

/// Drops the queued keys; false if there were none.
pub fn forget_keys(screen: &mut PlanScreen) -> bool {
    !std::mem::take(&mut screen.keys).is_empty()
}

/// Queues a cursor key, or one that acts at the cursor, behind queued steps, so that it acts on the row that they lead
/// to.
pub fn puts_in_order(screen: &mut PlanScreen, cx: &mut Cx, entry: &'static Entry, count: usize) -> bool {
    use Action::{Breakpoint, Go, LeaveOut, Open, Skip};
    let is_bound = matches!(entry.action, Go(_) | Open | Breakpoint | LeaveOut | Skip);
    let is_behind = screen.phase.run().is_some_and(|run| run.queued_steps() > 0) || !screen.keys.is_empty();
    cx.screen == ScreenId::Step && is_bound && is_behind && puts_off(screen, cx, entry, count)
}

impl Screen for State {
    fn view(&self, front: Front<'_>, buf: &mut Buffer, pane: Pane, area: Rect) {
        match pane {
            Pane::Order => order::view(self, front.cx, buf, area),
            Pane::Output => output::view(self, front.cx, buf, area),
            _ => panes::view(self, front.cx, buf, pane, area),
        }
    }

    fn go(&mut self, cx: &mut Cx, _: Beside<'_>, pane: Pane, step: Move, count: usize) {
        cursor::go(self, cx, pane, step, count);
    }

    fn click(&mut self, _: &mut Cx, _: Beside<'_>, pane: Pane, (row, _): (usize, usize)) {
        if pane == Pane::Order {
            cursor::click(self, row);
        }
    }

    fn act(&mut self, cx: &mut Cx, _: Beside<'_>, action: Action, count: usize) {
        turns::act(self, cx, action, count)
    }

    fn clamp(&mut self, cx: &mut Cx, _: Beside<'_>) {
        cursor::clamp(self, cx);
    }

    fn filter(&mut self, _: &mut Cx, _: Beside<'_>, words: &str) {
        cursor::filter(self, words);
    }
}
