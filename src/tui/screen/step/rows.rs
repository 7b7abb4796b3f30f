//! The rows of the order, one per resource: status, result and filter, with their sums.

use std::{collections::BTreeSet, time::Duration};

use rustc_hash::{FxHashMap, FxHashSet};

use super::folds::{Folds, Line};
use crate::engine::message::{Event, TurnState};
use crate::engine::run_view::{self, Changed, Counts, RunView};
use crate::graph::{Graph, ResourceId};
use crate::plan::{Action, Certainty, Offered, Plan, Query, Step, Summary};
use crate::source::Place;
use crate::tui::{keymap::Folding, list, widget::text};

/// One resource of the plan, with its status.
pub type Row = run_view::Row<More>;

/// What the screen adds to a row.
#[derive(Clone, Debug, Default)]
pub struct More {
    /// Its position in the plan's steps.
    pub planned: usize,
    /// The apply process was killed during its step; the effects are unknown.
    pub is_cut_off: bool,
    /// When its step started, on the jobs' clock.
    pub began: Duration,
    /// Its part in the action sums; `None` if it fails, is skipped or is blocked.
    counted: Option<(Action, bool)>,
    /// Its certainty in the tally; `None` if it is not pending, or would fail.
    sure: Option<Certainty>,
    /// A direct or indirect requirement changes the machine.
    is_fed: bool,
    /// The problem that the plan predicts for it.
    wrong: Option<Wrong>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Fails,
    IsBlocked,
}

/// How many rows are known, predicted and unknown.
pub type Tally = [usize; 3];

/// A state as queries name it.
pub(super) fn state_word(state: &TurnState) -> &'static str {
    match state {
        TurnState::Waiting => "waiting",
        TurnState::Running => "running",
        TurnState::Done => "done",
        TurnState::Failed { .. } => "failed",
        TurnState::Skipped => "skipped",
        TurnState::Blocked { .. } => "blocked",
    }
}

/// All rows, the visible ones, and their sums, updated with each step.
#[derive(Debug, Default)]
pub struct Rows {
    pub run: RunView<More>,
    /// Only while there is a filter.
    shown: Option<Vec<usize>>,
    pub folds: Folds,
    /// The rows around one of them, if only those are shown.
    around: Option<FxHashSet<usize>>,
    pub summary: Summary,
    /// How certain the remaining rows are. In a dry run, finished steps are in the overlay, and skipped ones do not
    /// run: only the remaining ones count.
    pub tally: Tally,
    /// The columns of the longest name.
    pub widest: usize,
    /// The rows that notify each row.
    notified_by: FxHashMap<usize, Vec<usize>>,
    left_out: FxHashSet<usize>,
    /// The rows that a skip in advance blocks.
    behind_skips: FxHashSet<usize>,
    /// How many pending rows would fail by the plan, and how many those would block.
    would: [usize; 2],
    /// The first row with a pending change.
    first_open: usize,
}

/// How many rows notify this one; whatever their number, it refreshes once, in its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refreshes {
    pub queued: usize,
    /// Those with a pending change.
    pub to_come: usize,
    /// Those that failed, are skipped or are blocked instead.
    pub lost: usize,
}

impl Refreshes {
    /// In words; `None` if there are none.
    pub fn words(self) -> Option<String> {
        let counts = [(self.queued, "pending"), (self.to_come, "expected"), (self.lost, "lost")];
        let parts: Vec<_> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        let queued_steps = self.queued + self.to_come;
        let once = if queued_steps > 1 { "; refreshes once" } else { "" };
        (!parts.is_empty()).then(|| parts.join(", ") + once)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub done: usize,
    pub failed: usize,
    pub blocked: usize,
    pub skipped: usize,
    pub interrupted: usize,
    pub not_reached: usize,
}

impl list::Rows for Rows {
    type Key = ResourceId;

    fn len(&self) -> usize {
        let all = self.shown.as_ref().map_or(self.total(), Vec::len);
        self.folds.lines().map_or(all, <[_]>::len)
    }

    fn key(&self, at: usize) -> Option<ResourceId> {
        let row = match self.folds.group(at) {
            Some((_, steps)) => self.planned(*steps.first()?),
            None => self.shown(at),
        };
        row.map(|row| row.id.clone())
    }

    fn find(&self, id: &ResourceId) -> Option<usize> {
        self.position(id)
    }

    fn fold(&mut self, how: Folding, at: usize) -> Option<ResourceId> {
        match how {
            Folding::CloseAll => self.folds.close_all(),
            Folding::OpenAll => self.folds.open_all(),
            Folding::Toggle => {
                let step = self.key(at).and_then(|id| self.run.position(&id));
                step.into_iter().for_each(|step| self.folds.toggle(step));
            }
        }
        self.folds.list(self.shown.is_some());
        None
    }

    fn reveal(&mut self, id: &ResourceId) {
        if self.run.position(id).is_some_and(|step| self.folds.open(step)) {
            self.folds.list(self.shown.is_some());
        }
    }
}

impl Rows {
    /// The rows of another plan, folded as these were.
    pub fn replaced(&mut self, plan: &Plan, graph: Option<&Graph>) {
        let folds = std::mem::take(&mut self.folds);
        *self = Rows { folds, ..Rows::new(plan) };
        self.folds.renew(plan, graph);
    }

    pub fn new(plan: &Plan) -> Self {
        let more = |(planned, step): (usize, &Step)| {
            let (counted, sure, wrong) = (acts(step), certainty(step), wrong(step));
            (step.resource.clone(), More { planned, counted, sure, wrong, ..More::default() })
        };
        let run = RunView::new(plan.steps.iter().enumerate().map(more));
        let mut rows = Rows { run, ..Rows::default() };
        for step in &plan.steps {
            rows.widest = rows.widest.max(text::width(&step.resource.to_string()));
            count_wrong(&mut rows.would, wrong(step), true);
            if let Some(sure) = certainty(step) {
                rows.tally[sure as usize] += 1;
            }
            if let Some(counted) = acts(step) {
                count(&mut rows.summary, counted, true);
            }
        }
        for (at, step) in plan.steps.iter().enumerate() {
            for target in step.notifies.iter().filter_map(|id| rows.run.position(id)) {
                rows.notified_by.entry(target).or_default().push(at);
            }
            let is_fed =
                step.because.iter().filter_map(|id| rows.run.find(id)).any(|need| need.more.is_fed || need.changes());
            rows.run.rows_mut()[at].more.is_fed = is_fed;
        }
        rows.pass_over();
        rows
    }

    /// Whether a row's prediction depends on its requirements. If none of them changes anything, the prediction depends
    /// on a path that an earlier step may change: then it depends on all earlier steps.
    pub fn rests_on_needs(&self, row: &Row) -> bool {
        row.more.is_fed || self.first_open >= row.more.planned
    }

    /// Advances to the first row with a pending change.
    fn pass_over(&mut self) {
        let is_open = |row: &Row| matches!(row.state, TurnState::Waiting | TurnState::Running) && row.changes();
        while self.run.rows().get(self.first_open).is_some_and(|row| !is_open(row)) {
            self.first_open += 1;
        }
    }

    /// Takes another plan with the same resources in the same order; their status stays.
    pub fn renew(&mut self, plan: &Plan) {
        self.notified_by.clear();
        self.would = [0; 2];
        for (source, step) in plan.steps.iter().enumerate() {
            for target in step.notifies.iter().filter_map(|id| self.run.position(id)) {
                self.notified_by.entry(target).or_default().push(source);
            }
        }
        for (at, row) in self.run.rows_mut().iter_mut().enumerate() {
            let is_out = self.left_out.contains(&at) || self.behind_skips.contains(&at);
            let now = counted(row, plan, is_out);
            recount(&mut self.summary, row, now);
            retally(&mut self.tally, row, plan, is_out);
            row.more.wrong = plan.steps.get(row.more.planned).and_then(wrong);
            count_wrong(&mut self.would, row.more.wrong.filter(|_| row.state == TurnState::Waiting), true);
        }
    }

    /// The source places of the resources changed.
    pub fn moved(&mut self, source: impl Fn(&ResourceId) -> Option<Place>) {
        let turned = self.run.rows_mut().iter_mut().filter_map(|row| row.step.as_mut());
        turned.for_each(|step| step.source = source(&step.resource));
    }

    /// The pending and the expected refreshes of a row.
    pub fn refreshes(&self, row: &Row) -> Refreshes {
        let mut refreshes = Refreshes::default();
        let sources = self.notified_by.get(&row.more.planned).into_iter().flatten();
        for source in sources.filter_map(|at| self.run.rows().get(*at)) {
            let changes = source.changes();
            match source.state {
                TurnState::Done if changes => refreshes.queued += 1,
                TurnState::Waiting | TurnState::Running if changes => refreshes.to_come += 1,
                TurnState::Failed { .. } | TurnState::Skipped | TurnState::Blocked { .. } => refreshes.lost += 1,
                _ => {}
            }
        }
        refreshes
    }

    /// How many pending rows would fail, and how many those would block.
    pub fn would_fail(&self) -> (usize, usize) {
        let [fails, blocked] = self.would;
        let rows = self.behind_skips.iter().filter_map(|at| self.planned(*at));
        let behind = rows.filter(|row| row.state == TurnState::Waiting && row.more.wrong.is_none()).count();
        (fails, blocked + behind)
    }

    pub fn find(&self, id: &ResourceId) -> Option<&Row> {
        self.run.find(id)
    }

    pub fn total(&self) -> usize {
        self.run.rows().len()
    }

    pub fn turned(&self) -> usize {
        self.run.counts().ended()
    }

    /// A row by its visible position; `None` for a fold.
    pub fn shown(&self, at: usize) -> Option<&Row> {
        if let Some(lines) = self.folds.lines() {
            return match lines.get(at)? {
                Line::Step(step) => self.planned(*step),
                Line::Group(..) => None,
            };
        }
        match &self.shown {
            Some(shown) => self.planned(*shown.get(at)?),
            None => self.planned(at),
        }
    }

    pub fn position(&self, id: &ResourceId) -> Option<usize> {
        let at = self.run.position(id)?;
        match &self.shown {
            Some(shown) => shown.binary_search(&at).ok(),
            None => Some(self.folds.row_of(at).unwrap_or(at)),
        }
    }

    /// Shows the rows that match a query. Later status changes have no effect until the next query.
    pub fn filter(&mut self, words: &str, graph: Option<&Graph>, stale: &super::data::Stale) {
        let query = Query::typed(words).unwrap_or_default();
        let fits = |row: &Row| {
            let action = row.step.as_ref().map(|step| step.action).or(row.more.counted.map(|(action, _)| action));
            // A refresh is a change.
            let is_refreshed = row.more.counted.is_some_and(|(_, refresh)| refresh);
            let action = action.filter(|action| *action != Action::None || !is_refreshed);
            let state = Some(state_word(&row.state));
            let resource = graph.and_then(|graph| graph.resource(graph.find(&row.id)?));
            let offered = resource.map_or_else(|| Offered::text(&row.id.0), Offered::resource);
            query.fits(&Offered { action, state, is_stale: stale.words(&row.id).is_some(), ..offered })
        };
        let is_near = |at: &usize| self.around.as_ref().is_none_or(|around| around.contains(at));
        let rows = || self.run.rows().iter().enumerate().filter(|(at, _)| is_near(at));
        let all = || rows().filter(|(_, row)| words.is_empty() || fits(row)).map(|(at, _)| at).collect();
        self.shown = (!words.is_empty() || self.around.is_some()).then(all);
        self.folds.list(self.shown.is_some());
    }

    /// Restricts the next filter to these rows; `None` for all.
    pub fn look_around<'a>(&mut self, ids: Option<impl Iterator<Item = &'a ResourceId>>) {
        self.around = ids.map(|ids| ids.filter_map(|id| self.run.position(id)).collect());
    }

    /// Records an event of the run and updates the sums. `now` is the time on the jobs' clock.
    pub fn on_event(&mut self, plan: &Plan, event: &Event, now: Duration) {
        if let Event::Turn { resource, .. } = event
            && self.run.position(resource).is_none()
        {
            return;
        }
        let Changed::Row(at, before) = self.run.on_event(event) else { return };
        let is_left_out = self.left_out.contains(&at) || self.behind_skips.contains(&at);
        let row = &mut self.run.rows_mut()[at];
        if row.state == TurnState::Running {
            row.more.began = now;
        }
        for (state, is_added) in [(&before, false), (&row.state, true)] {
            count_wrong(&mut self.would, row.more.wrong.filter(|_| *state == TurnState::Waiting), is_added);
        }
        row.more.is_cut_off = false;
        let now = counted(row, plan, is_left_out);
        recount(&mut self.summary, row, now);
        retally(&mut self.tally, row, plan, is_left_out);
        self.first_open = self.first_open.min(at);
        self.pass_over();
    }

    /// Skipped steps, and those that a skip blocks, are not in the sums.
    pub fn leave_out(&mut self, plan: &Plan, left_out: &BTreeSet<ResourceId>, blocked: &[ResourceId]) {
        let left: FxHashSet<usize> = left_out.iter().filter_map(|id| self.run.position(id)).collect();
        let behind: FxHashSet<usize> = blocked.iter().filter_map(|id| self.run.position(id)).collect();
        let mut before = std::mem::replace(&mut self.left_out, left);
        before.extend(std::mem::replace(&mut self.behind_skips, behind));
        let now: FxHashSet<usize> = self.left_out.union(&self.behind_skips).copied().collect();
        for at in before.symmetric_difference(&now).copied() {
            let Some(row) = self.run.rows_mut().get_mut(at).filter(|row| row.state == TurnState::Waiting) else {
                continue;
            };
            let is_left = now.contains(&at);
            let now = plan.steps.get(row.more.planned).filter(|_| !is_left).and_then(acts);
            recount(&mut self.summary, row, now);
            retally(&mut self.tally, row, plan, is_left);
        }
    }

    /// Whether a skip in advance blocks this pending row.
    pub fn is_blocked_by_skip(&self, row: &Row) -> bool {
        row.state == TurnState::Waiting && self.behind_skips.contains(&row.more.planned)
    }

    /// The longest running step, and since when.
    pub fn slowest(&self) -> Option<(&ResourceId, Duration)> {
        self.run.running().min_by_key(|row| row.more.began).map(|row| (&row.id, row.more.began))
    }

    /// The row of a step of the plan, by its position there.
    pub fn planned(&self, at: usize) -> Option<&Row> {
        self.run.rows().get(at)
    }

    /// Whether the apply process was killed during a step.
    pub fn interrupted(&mut self) -> bool {
        let running = self.run.take_running();
        for at in &running {
            let row = &mut self.run.rows_mut()[*at];
            row.more.is_cut_off = true;
            recount(&mut self.summary, row, None);
        }
        !running.is_empty()
    }

    /// No more steps run: removes the rows that did not run from the sums.
    pub fn end(&mut self) {
        for row in self.run.rows_mut() {
            if row.waits() {
                recount(&mut self.summary, row, None);
            }
        }
    }

    /// The interrupted rows.
    pub fn cut(&self) -> impl Iterator<Item = &Row> {
        self.run.rows().iter().filter(|row| row.more.is_cut_off)
    }

    pub fn not_reached(&self) -> impl Iterator<Item = &Row> {
        self.run.rows().iter().filter(|row| row.waits() && !row.more.is_cut_off)
    }

    /// How the steps ended so far.
    pub fn ends(&self) -> Ends {
        let Counts { done, failed, skipped, blocked, .. } = self.run.counts();
        let interrupted = self.cut().count();
        let not_reached = self.total().saturating_sub(self.turned() + interrupted);
        Ends { done, failed, blocked, skipped, interrupted, not_reached }
    }

    /// The rows with a noteworthy end, in order.
    pub fn troubled(&self) -> impl Iterator<Item = &Row> {
        let is_trouble =
            |row: &&Row| matches!(row.state, TurnState::Failed { .. } | TurnState::Skipped | TurnState::Blocked { .. });
        self.run.rows().iter().filter(is_trouble)
    }
}

impl Row {
    /// Whether its step changes something, as far as known.
    fn changes(&self) -> bool {
        self.more.counted.is_some_and(|(action, _)| action != Action::None)
    }
}

/// A step's part in the action sums; a step that would fail, or is blocked, does nothing.
/// The action of a row in the sums. A skip leaves out a pending row alone: a blocked step may have run after all.
fn counted(row: &Row, plan: &Plan, is_left_out: bool) -> Option<(Action, bool)> {
    let is_counted = match row.state {
        TurnState::Waiting => !is_left_out,
        TurnState::Running | TurnState::Done => true,
        _ => false,
    };
    row.step.as_deref().or(plan.steps.get(row.more.planned)).filter(|_| is_counted).and_then(acts)
}

fn acts(step: &Step) -> Option<(Action, bool)> {
    step.acts().then_some((step.action, step.refresh))
}

fn wrong(step: &Step) -> Option<Wrong> {
    (!step.acts()).then_some(if step.error.is_some() { Wrong::Fails } else { Wrong::IsBlocked })
}

fn count_wrong(would: &mut [usize; 2], wrong: Option<Wrong>, is_added: bool) {
    if let Some(sum) = wrong.and_then(|wrong| would.get_mut(wrong as usize)) {
        *sum = if is_added { *sum + 1 } else { sum.saturating_sub(1) };
    }
}

/// How certain a step's effect is; a predicted failure counts as known.
fn certainty(step: &Step) -> Option<Certainty> {
    step.acts().then_some(step.certainty)
}

fn retally(tally: &mut Tally, row: &mut Row, plan: &Plan, is_left_out: bool) {
    let waits = row.state == TurnState::Waiting && !is_left_out;
    let now = plan.steps.get(row.more.planned).filter(|_| waits).and_then(certainty);
    if let Some(before) = std::mem::replace(&mut row.more.sure, now) {
        tally[before as usize] = tally[before as usize].saturating_sub(1);
    }
    if let Some(now) = now {
        tally[now as usize] += 1;
    }
}

fn recount(summary: &mut Summary, row: &mut Row, now: Option<(Action, bool)>) {
    for (counted, is_added) in [(row.more.counted, false), (now, true)] {
        if let Some(counted) = counted {
            count(summary, counted, is_added);
        }
    }
    row.more.counted = now;
}

/// Adds a step to the sums, or removes it.
pub(super) fn count(summary: &mut Summary, (action, refresh): (Action, bool), is_added: bool) {
    let sum = match action {
        // As in `Summary::once`.
        Action::None if refresh => &mut summary.refresh,
        Action::Create => &mut summary.create,
        Action::Change => &mut summary.change,
        Action::Replace => &mut summary.replace,
        Action::Remove => &mut summary.remove,
        Action::Run => &mut summary.run,
        Action::None => &mut summary.none,
        Action::Unknown => &mut summary.unknown,
    };
    *sum = if is_added { *sum + 1 } else { sum.saturating_sub(1) };
}
