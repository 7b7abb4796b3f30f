//! Step: a run, one resource at a time, with what, why next, what changes and what follows at each stop.
//!
//! [`planning`] puts a plan in place and starts its run, [`turns`] asks of the run what a key says, [`hear`] takes in what the run
//! tells, into the [`rows`]; how sure each is by then is in [`certain`]. [`cursor`] is where one stands among them; [`order`],
//! [`panes`], [`summary`] and [`said`] draw. What a run stops for and leaves out is in [`breaks`] and [`leave`], what is done on the
//! machine in [`live`]; what was put in place is under [`watch`], and what a plan was made of too: [`stale`].

pub mod against;
pub mod breaks;
mod certain;
pub mod changes;
pub mod conflict;
mod cursor;
mod hear;
pub mod leave;
pub mod live;
pub mod mend;
mod order;
pub mod observe;
mod panes;
pub mod parked;
mod planning;
pub mod redo;
mod reopen;
mod rows;
mod said;
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
pub use cursor::{click, filter, go, select, settle, show_summary, widen};
use cursor::{look_around, toggle_only};
pub use hear::told;
use live::Phase;
pub use order::seconds;
use planning::reset;
pub use planning::{
    asked, catch_up, entered, graph_differs, is_of_now, not_planned, plan, planned, read_again, restored, why_not,
};
use rows::{Row, Rows};
pub use turns::{act, agreed, stop};

/// What the screen remembers.
#[derive(Debug, Default)]
pub struct State {
    /// The program that was planned; the code may be ahead of it.
    program: Option<Arc<Program>>,
    pub plan: Option<Arc<Plan>>,
    /// The compilation that was planned.
    pub turn: u64,
    /// A saved plan that was asked for before the program was compiled.
    opens_next: Option<PathBuf>,
    /// The plan that was noted last among what was done here.
    noted: Option<String>,
    rows: Rows,
    pub breakpoints: BTreeSet<ResourceId>,
    /// Those of them that are off.
    pub muted: BTreeSet<ResourceId>,
    /// What a continuing run does at a failure.
    pub break_mode: BreakMode,
    /// What is skipped when its turn comes.
    pub left_out: BTreeSet<ResourceId>,
    /// What would be, if one agrees.
    leaving: Vec<ResourceId>,
    /// Breakpoints with conditions.
    pub whens: Vec<breaks::When>,
    /// What the run knows of all of them.
    told_breaks: BTreeSet<ResourceId>,
    pub next: Option<ResourceId>,
    ready: BTreeSet<ResourceId>,
    /// What is next is the first of those by their order.
    is_first: bool,
    why: Option<Pause>,
    /// The resource that became next out of order, and how.
    picked: Option<(ResourceId, redo::Picked)>,
    /// A question that was asked for elsewhere led here: how many places there are to go back to, the last of them there.
    asked_from: Option<usize>,
    /// The history is watched because a deploy of it is unresolved.
    follows_history: bool,
    /// A request is in progress.
    pub running: bool,
    /// The request in progress, other than single steps.
    going: Option<Request>,
    /// The cursor goes with the rows at work: the run goes on, and nobody moved the cursor since it began to.
    follows: bool,
    /// The user moved the cursor away from where the run had put it.
    is_moved: bool,
    /// An event came while something was typed.
    is_behind: bool,
    /// Steps were opened again: whether the cursor goes to the first of them once the run stands there.
    reopened: Option<bool>,
    /// When it was asked for, by the clock of the jobs.
    since: Option<Duration>,
    /// A single step, or the run's start, is in progress: further steps may queue behind it.
    pub stepping: bool,
    /// How many single steps are still queued, from a count or from fast keys.
    owed: usize,
    /// Requests from before the run reported that it waits, each with its count.
    put_off: Vec<(&'static Entry, usize)>,
    /// Counts runs, so that a run that was left is not listened to.
    pub run: u64,
    finished: bool,
    /// Whether the run's completion has been reported, or is about to be.
    end: End,
    /// The turns taken, oldest first, and whether each was skipped.
    taken: Vec<(ResourceId, bool)>,
    /// The turns to take again once the program was edited.
    redo: Option<redo::Redo>,
    /// How many pauses of turns that are taken again are still to come.
    redoing: usize,
    /// The log lines of steps that run again.
    logged: Option<FxHashMap<ResourceId, usize>>,
    /// The plan's summary is shown until the first step, or until a row is selected.
    summary: bool,
    /// The whole plan is shown instead, as one diff.
    pub whole_diff: bool,
    /// What the plan's summary puts together.
    groups: Vec<summary::Group>,
    /// How many steps are known, predicted and unknown.
    certain: [usize; 3],
    /// Shown instead of the summary, on request.
    against: Option<Against>,
    pub words: String,
    /// Only this resource is shown, with what it needs and what needs it.
    only: Option<ResourceId>,
    list: List,
    panes: [List; 4],
    said: said::State,
    pub live: live::State,
    pub watch: watch::State,
    /// What was changed on the machine since the plan was made.
    pub stale: stale::State,
    /// How long the plan took to make.
    pub planned_in: Option<Duration>,
}

/// Whether a run's end has been reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    /// It is not there.
    #[default]
    No,
    /// It is, and what came of it is on its way.
    Due,
    Told,
}

impl State {
    /// Whether more comes without a key, though the run pauses.
    pub fn is_ending(&self) -> bool {
        self.end == End::Due
    }

    /// Whether a single step, or the run's start, is in progress.
    fn is_stepping(&self) -> bool {
        self.running && self.stepping
    }

    /// Whether a dry run has yet to tell that it waits: an instant, and no reason to refuse a key.
    fn is_starting(&self) -> bool {
        self.is_stepping() && self.why.is_none() && self.live.phase == Phase::Dry
    }

    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref()
    }

    pub fn is_loaded(&self) -> bool {
        self.plan.is_some()
    }

    /// Whether texts of the row under the cursor are compared.
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
        self.next.as_ref()
    }

    /// What could be next, of the resources that were reported.
    #[cfg(test)]
    pub fn ready_ids(&self) -> impl Iterator<Item = &ResourceId> {
        self.ready.iter()
    }

    pub fn cursor_waits(&self) -> bool {
        self.rows.shown(self.list.cursor).is_some_and(|row| row.state == TurnState::Waiting)
    }

    pub fn cursor_is_ready(&self) -> bool {
        // If not all of them were reported, the run knows better.
        let may_be = self.ready.len() >= READY_SHOWN && self.cursor_waits();
        !self.running && self.cursor_id().is_some_and(|id| may_be || self.ready.contains(id))
    }

    /// Whether the row under the cursor is the next one, and on show.
    pub fn cursor_is_next(&self) -> bool {
        !self.running && !self.summary && self.next.is_some() && self.cursor_id() == self.next.as_ref()
    }

    /// Whether leaving out is about the row under the cursor, which failed, and not about what is next.
    pub fn leaves_out_failed(&self) -> bool {
        !self.running && self.cursor_failed()
    }

    /// Why the row under the cursor cannot be skipped; nothing where it can, or is to be included again.
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

    /// Whether the plan does anything.
    pub fn has_work(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| !plan.steps.iter().all(is_idle))
    }

    /// Whether a resource is right already, and nothing refreshes it.
    fn is_idle(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(is_idle)
    }

    /// Whether no resource is left to have its turn.
    pub fn is_at_end(&self) -> bool {
        self.is_loaded() && !self.running && self.next.is_none()
    }

    /// Whether a breakpoint is on a pending step, which can be run to.
    pub fn has_break_ahead(&self) -> bool {
        let waits = |id: &ResourceId| self.rows.find(id).is_some_and(|row| row.state == TurnState::Waiting);
        self.breakpoints.iter().any(|id| waits(id) && self.next.as_ref() != Some(id))
    }

    /// Whether a breakpoint is on the next step.
    pub fn has_break_next(&self) -> bool {
        self.next.as_ref().is_some_and(|next| self.breakpoints.contains(next))
    }

    /// Whether it ran to its place: to a breakpoint, or to the requested step.
    pub fn has_run_to(&self) -> bool {
        matches!(self.why, Some(Pause::Breakpoint | Pause::Cursor))
    }

    /// Whether a deploy is shown, one is interrupted, or one of this session is applied.
    pub fn is_to_roll_back(&self) -> bool {
        self.live.shows_live() || self.live.cut.is_some() || self.put_in_place().is_some()
    }

    /// How many resources had their turn in this run.
    pub fn turned(&self) -> usize {
        self.rows.turned()
    }

    pub fn has_turned(&self) -> bool {
        self.rows.turned() > 0
    }

    /// What the run did with a resource, or what the plan has for it.
    pub fn step_of(&self, id: &ResourceId) -> Option<&Step> {
        self.step_of_row(self.rows.find(id)?)
    }

    fn step_of_row<'a>(&'a self, row: &'a Row) -> Option<&'a Step> {
        row.turned.as_deref().or_else(|| self.plan.as_ref()?.steps.get(row.planned))
    }

    /// Why the turn of a resource failed, or would, after the words for which of the two it is.
    pub fn failure_of(&self, id: &ResourceId) -> Option<(&'static str, &str)> {
        match (&self.rows.find(id)?.state, self.step_of(id)) {
            (TurnState::Failed { error, .. }, _) => Some(("failed", error)),
            (_, Some(step)) => Some(("would fail", step.error.as_deref()?)),
            (_, None) => None,
        }
    }

    /// Whether the plan does something with a resource.
    pub fn changes(&self, id: &ResourceId) -> bool {
        self.step_of(id).is_some_and(|step| !is_idle(step))
    }

    /// What the plan does with a resource.
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

    /// The glyph of where a resource stands; before there is a plan, of what was set up for it, if anything was.
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
        if self.next.as_ref() == Some(id) && !self.running {
            (look.glyphs.next, look.style(Role::Active))
        } else if row.is_cut_off {
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

/// Keeps what cannot be done just now, where the run is only about to start, or its first plan is on its way: it is done, or
/// refused, once the run waits.
pub fn puts_off(tui: &mut Tui, entry: &'static Entry, count: usize) -> bool {
    let drives = matches!(
        entry.action,
        Action::Step | Action::Continue | Action::Over | Action::Skip | Action::StepBack | Action::Arm | Action::Resume
    );
    let is_planned = !tui.step.is_loaded() && [Job::Compile, Job::Plan].iter().any(|job| tui.is_working(*job));
    let waits_for_plan = is_planned && drives && tui.screen == ScreenId::Step;
    if waits_for_plan {
        tui.say(Role::Note, "planning: your keys run when the plan is ready (Ctrl-C drops them)");
    }
    let puts_off = waits_for_plan || tui.step.is_starting();
    if puts_off {
        tui.step.put_off.push((entry, count));
    }
    puts_off
}

/// Forgets what was pressed before there was a plan; false where nothing was.
pub fn forget_keys(tui: &mut Tui) -> bool {
    !std::mem::take(&mut tui.step.put_off).is_empty()
}

/// Keeps what moves the cursor, or is done where it stands, behind the steps and all else that was put off: a row that is left out
/// is the one that the keys before it lead to.
pub fn puts_in_order(tui: &mut Tui, entry: &'static Entry, count: usize) -> bool {
    use Action::{Breakpoint, Go, LeaveOut, Open, Skip};
    let is_bound = matches!(entry.action, Go(_) | Open | Breakpoint | LeaveOut | Skip);
    let is_behind = tui.step.owed > 0 || !tui.step.put_off.is_empty();
    tui.screen == ScreenId::Step && is_bound && is_behind && puts_off(tui, entry, count)
}

fn is_idle(step: &Step) -> bool {
    step.action == Plans::None && !step.refresh && step.error.is_none()
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane {
        Pane::Order => order::view(tui, buf, area),
        Pane::Said => said::view(tui, buf, area),
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

/// A resource's name, cut for a place of so many columns.
pub fn name(id: &ResourceId, room: usize, look: &Look) -> String {
    text::fit_middle(&id.to_string(), room, look.glyphs.cut).into_owned()
}
