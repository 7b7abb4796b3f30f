//! What a run shows so far: folds its events into one row per resource, with the next step, the pause and the counts.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::message::{Event, Pause, TurnState};
use crate::graph::ResourceId;
use crate::plan::{Action, Step};

/// One resource of a run. `more` is what a face adds.
#[derive(Clone, Debug)]
pub struct Row<M = ()> {
    pub id: ResourceId,
    pub state: TurnState,
    /// What its last step did, or would do by a newer preview.
    pub did: Option<Did>,
    /// That step, unless the view stores no steps.
    pub step: Option<Box<Step>>,
    pub elapsed_ms: u64,
    pub more: M,
}

/// The effect of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Did {
    pub action: Action,
    pub refresh: bool,
    pub is_noop: bool,
}

/// Whether a run's end has been reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// There is no end.
    #[default]
    No,
    /// It has ended, and the result is on its way.
    Pending,
    Reported,
}

/// How many resources are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that are running are among them.
    pub waiting: usize,
    pub done: usize,
    pub changed: usize,
    /// Would have changed without `noop`.
    pub noop: usize,
    pub failed: usize,
    pub skipped: usize,
    /// The skipped ones that nothing here can apply. A face with the graph counts them.
    pub unable: usize,
    pub blocked: usize,
}

impl Counts {
    /// The count with this name in scripts.
    pub fn get(&self, name: &str) -> Option<usize> {
        Some(match name {
            "changes" | "changed" => self.changed,
            "done" => self.done,
            "failed" => self.failed,
            "skipped" => self.skipped,
            "blocked" => self.blocked,
            "waiting" => self.waiting,
            _ => return None,
        })
    }

    /// How many have run, or cannot run any more.
    pub fn ended(&self) -> usize {
        self.done + self.failed + self.skipped + self.blocked
    }

    fn add(&mut self, state: &TurnState, did: Option<Did>, is_added: bool) {
        let change = |sum: &mut usize| *sum = if is_added { *sum + 1 } else { sum.saturating_sub(1) };
        change(match state {
            TurnState::Waiting | TurnState::Running => &mut self.waiting,
            TurnState::Done => &mut self.done,
            TurnState::Failed { .. } => &mut self.failed,
            TurnState::Skipped => &mut self.skipped,
            TurnState::Blocked { .. } => &mut self.blocked,
        });
        match did.filter(|did| *state == TurnState::Done && did.action != Action::None) {
            Some(did) if did.is_noop => change(&mut self.noop),
            Some(_) => change(&mut self.changed),
            None => {}
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { waiting, done, changed, failed, skipped, blocked, noop: _, unable: _ } = self;
        write!(
            f,
            "{done} done ({changed} with changes), {failed} failed, {skipped} skipped, {blocked} blocked, {waiting} waiting"
        )
    }
}

/// What an event changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Changed {
    /// The row at this position, and its state before.
    Row(usize, TurnState),
    /// The next step, the pause or the end.
    Pause,
    /// Nothing that a view has.
    Nothing,
}

/// The rows of a run in the order in which they were added, and where the run is.
#[derive(Clone, Debug)]
pub struct RunView<M = ()> {
    rows: Vec<Row<M>>,
    index: FxHashMap<ResourceId, usize>,
    counts: Counts,
    running: Vec<usize>,
    /// The last row that ran.
    latest: Option<usize>,
    /// The row that failed last.
    failed: Option<usize>,
    has_steps: bool,
    pub next: Option<ResourceId>,
    /// Those that could be next, as in [`Event::Paused`].
    pub ready: Vec<ResourceId>,
    /// Why the run waits, or waited last; `None` before its first pause.
    pub why: Option<Pause>,
    pub end: End,
}

impl<M> Default for RunView<M> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            index: FxHashMap::default(),
            counts: Counts::default(),
            running: Vec::new(),
            latest: None,
            failed: None,
            has_steps: true,
            next: None,
            ready: Vec::new(),
            why: None,
            end: End::No,
        }
    }
}

impl<M: Default> RunView<M> {
    /// A view of resources that all wait.
    pub fn new(ids: impl IntoIterator<Item = (ResourceId, M)>) -> Self {
        let mut view = Self::default();
        for (id, more) in ids {
            view.add(id, more);
        }
        view
    }

    /// A view that stores no steps, to which events add the resources.
    pub fn without_steps() -> Self {
        Self { has_steps: false, ..Self::default() }
    }

    fn add(&mut self, id: ResourceId, more: M) -> usize {
        let at = self.rows.len();
        self.index.insert(id.clone(), at);
        self.counts.add(&TurnState::Waiting, None, true);
        self.rows.push(Row { id, state: TurnState::Waiting, did: None, step: None, elapsed_ms: 0, more });
        at
    }

    /// Folds in an event. A resource that the view lacks becomes its last row.
    pub fn on_event(&mut self, event: &Event) -> Changed {
        match event {
            Event::Turn { resource, state, step, elapsed_ms } => {
                let at = self.position(resource).unwrap_or_else(|| self.add(resource.clone(), M::default()));
                Changed::Row(at, self.turn(at, state, step.as_ref(), *elapsed_ms))
            }
            Event::Paused { next, ready, why } => {
                self.end = match (next, self.end) {
                    (Some(_), _) => End::No,
                    (None, End::Reported) => End::Reported,
                    (None, _) => End::Pending,
                };
                (self.next, self.ready, self.why) = (next.clone(), ready.clone(), Some(why.clone()));
                Changed::Pause
            }
            Event::Finished { .. } => {
                self.forget_next();
                self.end = End::Reported;
                Changed::Pause
            }
            Event::Amended { .. } | Event::Output { .. } | Event::TakenBack { .. } => Changed::Nothing,
        }
    }

    /// Sets the state of a row, and returns the one before.
    fn turn(&mut self, at: usize, state: &TurnState, step: Option<&Step>, elapsed_ms: u64) -> TurnState {
        self.running.retain(|other| *other != at);
        let row = &mut self.rows[at];
        // A pending row that was only checked did not run.
        if (&row.state, state) != (&TurnState::Waiting, &TurnState::Waiting) {
            self.latest = Some(at);
        }
        match state {
            TurnState::Running => self.running.push(at),
            TurnState::Failed { .. } => self.failed = Some(at),
            _ => {}
        }
        self.counts.add(&row.state, row.did, false);
        if let Some(step) = step {
            row.did = Some(Did { action: step.action, refresh: step.refresh, is_noop: step.is_noop });
            row.step = self.has_steps.then(|| Box::new(step.clone()));
        } else if *state == TurnState::Waiting {
            (row.did, row.step) = (None, None);
        }
        self.counts.add(state, row.did, true);
        row.elapsed_ms = elapsed_ms;
        std::mem::replace(&mut row.state, state.clone())
    }
}

impl<M> RunView<M> {
    /// Returns the numbers of rows by state.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the rows in order.
    pub fn rows(&self) -> &[Row<M>] {
        &self.rows
    }

    /// Returns the rows for changes. A changed state is not counted.
    pub fn rows_mut(&mut self) -> &mut [Row<M>] {
        &mut self.rows
    }

    /// Returns the position of a resource's row.
    pub fn position(&self, id: &ResourceId) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Returns the row of a resource.
    pub fn find(&self, id: &ResourceId) -> Option<&Row<M>> {
        self.rows.get(self.position(id)?)
    }

    /// Returns the row of a resource for changes.
    pub fn find_mut(&mut self, id: &ResourceId) -> Option<&mut Row<M>> {
        let at = self.position(id)?;
        self.rows.get_mut(at)
    }

    /// The running rows, in the order of their start.
    pub fn running(&self) -> impl Iterator<Item = &Row<M>> {
        self.running.iter().filter_map(|at| self.rows.get(*at))
    }

    /// The running step, or else the last one.
    pub fn latest(&self) -> Option<&ResourceId> {
        let at = self.running.last().copied().or(self.latest)?;
        self.rows.get(at).map(|row| &row.id)
    }

    /// The failure to ask about: the last one, if it still is one, or else the first by name.
    pub fn failed(&self) -> Option<&ResourceId> {
        let last = self.failed.and_then(|at| self.rows.get(at)).filter(|row| row.has_failed());
        last.map(|row| &row.id).or_else(|| self.all_failed().first().copied())
    }

    /// All failures, by name.
    pub fn all_failed(&self) -> BTreeSet<&ResourceId> {
        self.named(self.counts.failed, Row::has_failed)
    }

    /// The failed and skipped steps, by name.
    pub fn to_retry(&self) -> BTreeSet<&ResourceId> {
        let may_retry = |row: &Row<M>| row.has_failed() || row.state == TurnState::Skipped;
        self.named(self.counts.failed + self.counts.skipped, may_retry)
    }

    fn named(&self, count: usize, is_one: impl Fn(&Row<M>) -> bool) -> BTreeSet<&ResourceId> {
        let rows = self.rows.iter().filter(|_| count > 0);
        rows.filter(|row| is_one(row)).map(|row| &row.id).collect()
    }

    /// No step is next.
    pub fn forget_next(&mut self) {
        self.next = None;
        self.ready.clear();
    }

    /// The run's process is gone: returns the rows whose steps it had begun.
    pub fn take_running(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.running)
    }
}

impl<M> Row<M> {
    /// Whether the turn failed.
    pub fn has_failed(&self) -> bool {
        matches!(self.state, TurnState::Failed { .. })
    }

    /// Whether its step has not ended.
    pub fn waits(&self) -> bool {
        matches!(self.state, TurnState::Waiting | TurnState::Running)
    }

    /// Its newer preview, while it waits.
    pub fn preview(&self) -> Option<&Step> {
        self.step.as_deref().filter(|_| self.state == TurnState::Waiting)
    }
}
