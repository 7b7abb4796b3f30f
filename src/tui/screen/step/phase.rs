//! The phase of the shown run. Each variant has the data that exists only in that phase.

use super::data::{EditRetry, Redo, State};
use super::live::data::{Cut, Earlier};
use super::redo::Picked;
use crate::engine::message::{Request, TurnState};
use crate::engine::run_view::End;
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::tui::{cx::Cx, effect::Effect};
use rustc_hash::{FxHashMap, FxHashSet};
use std::{sync::Arc, time::Duration};

#[derive(Debug, Default)]
pub enum Phase {
    #[default]
    NoPlan,
    /// A plan, and its run in the overlay.
    Dry(DryRun),
    /// A live run was confirmed; it takes the lock.
    Beginning(Box<Beginning>),
    /// A run on this machine.
    Live(Box<LiveRun>),
    /// It was on this machine; the lock is released, and the rows show the results.
    Ended(Box<Ended>),
    /// A deploy is being undone.
    Undoing(Box<Undoing>),
}

/// The run of a plan in the overlay. It takes a [`DryRequest`] and no other.
#[derive(Debug, Default)]
pub struct DryRun {
    pub run: Run,
    pub(super) rest: Rest,
}

/// A live run that has not started.
#[derive(Debug, Default)]
pub struct Beginning {
    pub run: Run,
    pub begins: Begins,
    /// Acts as root, through `sudo`, and records in root's history.
    pub as_root: bool,
    /// A password was requested already.
    pub(super) has_asked: bool,
    /// The dry run that was left for it, to restore it if this does not start.
    pub(super) left: Option<Redo>,
    pub(super) rest: Rest,
}

/// How a live run begins.
#[derive(Debug, Default)]
pub enum Begins {
    /// It applies the plan.
    #[default]
    Applies,
    /// It resumes an interrupted deploy, which is checked first; that can be cancelled.
    Resumes(Cut),
    /// It attaches to a detached applier. The deploy that was shown may be the same; it is shown again if this fails.
    Attaches(Option<Box<Ended>>),
}

/// A run on this machine.
#[derive(Debug, Default)]
pub struct LiveRun {
    pub run: Run,
    pub shown: Shown,
    /// How many stops were requested since it continued.
    pub(super) stops: u8,
    /// The request to continue with after a return from the shell.
    pub(super) suspended: Option<DryRequest>,
    /// The progress of an edit after a failure.
    pub edit: EditRetry,
    /// The compilation of which one edit is retried, while other edits are still to be asked about.
    pub(super) tries_part_of: Option<u64>,
}

/// A live run that is over.
#[derive(Debug, Default)]
pub struct Ended {
    pub shown: Shown,
    /// How it ended for this session before its last event, in a word.
    pub ending: Option<&'static str>,
    /// It reported its end.
    pub(super) is_finished: bool,
    /// The rest is planned again for this step.
    pub(super) retries: Option<ResourceId>,
}

#[derive(Debug)]
pub struct Undoing {
    pub deploy: u64,
    pub as_root: bool,
    /// A password was requested already.
    pub(super) has_asked: bool,
    /// What was shown before.
    pub(super) before: Before,
    /// The program's inputs were watched before.
    pub(super) was_followed: bool,
    pub progress: Progress,
    /// How many stops were requested.
    pub(super) stops: u8,
}

/// What was shown before an undo.
#[derive(Debug)]
pub enum Before {
    /// A dry run, to restore it.
    Dry { left: Option<Redo>, rest: Rest },
    /// An ended deploy, to show it again.
    Ended(Box<Ended>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The deploy's results are checked before anything is done; that can be cancelled.
    Checking,
    /// It undoes, and has not reported its progress yet.
    Begun,
    /// So many operations are done.
    Done { done: usize, of: usize },
}

/// The deploy on show.
#[derive(Debug, Default)]
pub struct Shown {
    /// Its number, until it is undone.
    pub deploy: Option<u64>,
    /// It acts as root, and is in root's history.
    pub as_root: bool,
    pub changed: Changed,
    /// The deploy that it resumed: that is undone with it.
    pub(super) resumed: Option<Cut>,
    /// The deploys that it continues.
    pub(super) earlier: Option<Earlier>,
    /// Its entry, if it differs from that of these screens: the rest is planned there.
    pub of_other: Option<String>,
}

/// What a run changed or started to change.
#[derive(Debug, Default)]
pub struct Changed {
    /// Oldest first.
    all: Vec<ResourceId>,
    ids: FxHashSet<ResourceId>,
}

/// What is left of a deploy that ended with a failure, for a new one.
#[derive(Debug, Default)]
pub struct Rest {
    /// The finished steps.
    pub(super) earlier: Option<Earlier>,
    /// The step to continue from.
    pub(super) retries: Option<ResourceId>,
}

/// How far a run is that takes requests.
#[derive(Debug, Default)]
pub struct Run {
    pub(super) busy: Option<Busy>,
    pub(super) repeat: Option<Repeat>,
    /// The resource that became next out of order, and how.
    pub(super) picked: Option<(ResourceId, Picked)>,
    /// The next step is the first ready one in the source order.
    pub(super) is_first: bool,
}

/// The request in progress.
#[derive(Debug)]
pub(super) enum Busy {
    /// It starts, or runs a single step; so many more are queued, from a count or from fast keys.
    Stepping { queued: usize },
    /// It continues until something stops it.
    Going {
        request: DryRequest,
        /// On the jobs' clock.
        since: Duration,
        /// The cursor follows the running rows, because the user has not moved it.
        follows: bool,
    },
    /// A skip, a retry, or a step back.
    Once,
}

/// Steps that run again.
#[derive(Debug, Default)]
pub(super) struct Repeat {
    /// How many pauses are still to come.
    pub(super) left: usize,
    /// Steps became pending again: whether the cursor goes to the first of them.
    pub(super) goes: Option<bool>,
    /// Their log lines.
    pub(super) logged: Option<FxHashMap<ResourceId, usize>>,
}

/// A request that moves a run: all that a dry run takes. Nothing here changes this machine beyond what was confirmed.
#[derive(Clone, Debug, PartialEq)]
pub enum DryRequest {
    Step,
    Continue { until: Option<ResourceId> },
    Over { around: Vec<Arc<str>> },
    Skip,
    // Checks a failed or skipped resource again and makes it next.
    Recheck { resource: ResourceId },
    Pick { resource: ResourceId },
    Back,
    Break { resource: ResourceId, on: bool },
    LeaveOut { resource: ResourceId, on: bool },
    Stop,
}

impl From<DryRequest> for Request {
    fn from(request: DryRequest) -> Self {
        match request {
            DryRequest::Step => Self::Step,
            DryRequest::Continue { until } => Self::Continue { until },
            DryRequest::Over { around } => Self::Over { around },
            DryRequest::Skip => Self::Skip,
            DryRequest::Recheck { resource } => Self::Retry { resource },
            DryRequest::Pick { resource } => Self::Pick { resource },
            DryRequest::Back => Self::Back,
            DryRequest::Break { resource, on } => Self::Break { resource, on },
            DryRequest::LeaveOut { resource, on } => Self::LeaveOut { resource, on },
            DryRequest::Stop => Self::Stop,
        }
    }
}

impl Changed {
    pub(super) fn add(&mut self, id: &ResourceId) {
        if self.ids.insert(id.clone()) {
            self.all.push(id.clone());
        }
    }

    pub(super) fn contains(&self, id: &ResourceId) -> bool {
        self.ids.contains(id)
    }
}

impl Shown {
    pub fn has_changed(&self) -> bool {
        !self.changed.all.is_empty() || self.resumed.is_some()
    }
}

impl Run {
    /// A run that has not reported yet that it waits: keys queue until then.
    pub(super) fn starting() -> Self {
        Self { busy: Some(Busy::Stepping { queued: 0 }), ..Self::default() }
    }

    pub(super) fn repeats(&self) -> bool {
        self.repeat.as_ref().is_some_and(|repeat| repeat.left > 0)
    }

    /// So many pauses of repeated steps follow.
    pub(super) fn repeat(&mut self, left: usize) {
        self.repeat.get_or_insert_default().left = left;
    }

    /// The request that continues, to send it again.
    pub(super) fn going(&self) -> Option<&DryRequest> {
        match &self.busy {
            Some(Busy::Going { request, .. }) => Some(request),
            _ => None,
        }
    }

    pub(super) fn queued_steps(&self) -> usize {
        if let Some(Busy::Stepping { queued }) = self.busy { queued } else { 0 }
    }

    pub(super) fn forget_queued(&mut self) {
        if let Some(Busy::Stepping { queued }) = &mut self.busy {
            *queued = 0;
        }
    }
}

impl Rest {
    /// Finished steps are only of use with a step to continue from.
    fn or_nothing(self) -> Self {
        if self.retries.is_some() { self } else { Self::default() }
    }
}

impl Ended {
    fn rest(self) -> Rest {
        Rest { earlier: self.shown.earlier, retries: self.retries }.or_nothing()
    }
}

impl Phase {
    /// The progress of an undo; `None` while none is running.
    pub fn undo_progress(&self) -> Option<String> {
        let Phase::Undoing(undoing) = self else { return None };
        Some(match undoing.progress {
            Progress::Checking => "checking".into(),
            Progress::Begun => "undoing".into(),
            Progress::Done { done, of } => format!("undoing {done}/{of}"),
        })
    }

    /// Whether the rows are those of a plan and not of this machine.
    pub fn is_dry(&self) -> bool {
        matches!(self, Self::NoPlan | Self::Dry(_))
    }

    /// Whether this machine may be changed now.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Beginning(_) | Self::Live(_) | Self::Undoing(_))
    }

    /// Whether a request is in progress.
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Undoing(_)) || self.run().is_some_and(|run| run.busy.is_some())
    }

    pub(super) fn run(&self) -> Option<&Run> {
        match self {
            Self::Dry(dry) => Some(&dry.run),
            Self::Beginning(begins) => Some(&begins.run),
            Self::Live(live) => Some(&live.run),
            Self::NoPlan | Self::Ended(_) | Self::Undoing(_) => None,
        }
    }

    pub(super) fn run_mut(&mut self) -> Option<&mut Run> {
        match self {
            Self::Dry(dry) => Some(&mut dry.run),
            Self::Beginning(begins) => Some(&mut begins.run),
            Self::Live(live) => Some(&mut live.run),
            Self::NoPlan | Self::Ended(_) | Self::Undoing(_) => None,
        }
    }

    pub fn live(&self) -> Option<&LiveRun> {
        if let Self::Live(live) = self { Some(live) } else { None }
    }

    pub(super) fn live_mut(&mut self) -> Option<&mut LiveRun> {
        if let Self::Live(live) = self { Some(live) } else { None }
    }

    /// The live run, while it waits.
    pub(super) fn waiting_live(&self) -> Option<&LiveRun> {
        self.live().filter(|live| live.run.busy.is_none())
    }

    pub fn ended(&self) -> Option<&Ended> {
        if let Self::Ended(ended) = self { Some(ended) } else { None }
    }

    pub fn shown(&self) -> Option<&Shown> {
        match self {
            Self::Live(live) => Some(&live.shown),
            Self::Ended(ended) => Some(&ended.shown),
            Self::Undoing(undoing) => match &undoing.before {
                Before::Ended(ended) => Some(&ended.shown),
                Before::Dry { .. } => None,
            },
            Self::NoPlan | Self::Dry(_) | Self::Beginning(_) => None,
        }
    }

    /// The number of the shown deploy, until it is undone.
    pub fn deploy(&self) -> Option<u64> {
        self.shown()?.deploy
    }

    pub fn has_changed(&self) -> bool {
        self.shown().is_some_and(Shown::has_changed)
    }

    /// What the shown run changed or started to change, oldest first.
    pub(super) fn changed(&self) -> &[ResourceId] {
        self.shown().map_or(&[], |shown| &shown.changed.all)
    }

    /// The finished steps of earlier deploys.
    pub(super) fn earlier(&self) -> Option<&Earlier> {
        match self {
            Self::Dry(dry) => dry.rest.earlier.as_ref(),
            Self::Beginning(begins) => begins.rest.earlier.as_ref(),
            _ => self.shown()?.earlier.as_ref(),
        }
    }

    /// Whether an interrupted deploy was resumed and left without a step.
    pub fn left_idle(&self, has_turned: bool) -> bool {
        self.ended().is_some_and(|ended| ended.shown.resumed.is_some()) && !has_turned
    }

    /// The check in progress, which can be cancelled: of an interrupted deploy before it is resumed, or of a deploy's
    /// results before its undo.
    pub fn is_checking(&self) -> bool {
        match self {
            Self::Beginning(begins) => matches!(begins.begins, Begins::Resumes(_)),
            Self::Undoing(undoing) => undoing.progress == Progress::Checking,
            _ => false,
        }
    }

    /// Whether it acts as root.
    pub(super) fn as_root(&self) -> bool {
        match self {
            Self::Beginning(begins) => begins.as_root,
            Self::Undoing(undoing) => undoing.as_root,
            _ => self.shown().is_some_and(|shown| shown.as_root),
        }
    }

    /// Takes what is left for a new deploy.
    pub(super) fn take_rest(&mut self) -> Rest {
        match std::mem::take(self) {
            Self::Dry(dry) => dry.rest.or_nothing(),
            Self::Beginning(begins) => begins.rest.or_nothing(),
            Self::Ended(ended) => ended.rest(),
            Self::Undoing(undoing) => match undoing.before {
                Before::Ended(ended) => ended.rest(),
                Before::Dry { rest, .. } => rest.or_nothing(),
            },
            Self::NoPlan | Self::Live(_) => Rest::default(),
        }
    }

    /// Takes the live run as one that is over.
    pub(super) fn take_ended(&mut self) -> Box<Ended> {
        match std::mem::take(self) {
            Self::Live(live) => Box::new(Ended { shown: live.shown, ..Ended::default() }),
            Self::Ended(ended) => ended,
            Self::Undoing(undoing) => match undoing.before {
                Before::Ended(ended) => ended,
                Before::Dry { .. } => Box::default(),
            },
            Self::Beginning(begins) => match begins.begins {
                Begins::Attaches(Some(ended)) => ended,
                _ => Box::default(),
            },
            Self::NoPlan | Self::Dry(_) => Box::default(),
        }
    }

    /// Records a step.
    pub(super) fn turned(&mut self, id: &ResourceId, state: &TurnState, action: Option<Plans>) {
        let is_change = action.is_some_and(|action| action != Plans::None);
        let counts = matches!(state, TurnState::Done | TurnState::Failed { .. }) && is_change;
        if let (true, Self::Live(live)) = (counts, self) {
            live.shown.changed.add(id);
        }
    }

    #[cfg(test)]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoPlan => "no plan",
            Self::Dry(_) => "dry",
            Self::Beginning(_) => "beginning",
            Self::Live(_) => "live",
            Self::Ended(_) => "ended",
            Self::Undoing(_) => "undoing",
        }
    }
}

impl State {
    pub fn is_running(&self) -> bool {
        self.phase.is_running()
    }

    /// Whether all steps ran, and nothing else was requested since.
    pub(super) fn is_finished(&self) -> bool {
        match &self.phase {
            Phase::Dry(dry) => dry.run.busy.is_none() && self.next_id().is_none() && self.list.rows.run.end != End::No,
            // It ends with its failures, or at once.
            Phase::Live(live) => live.run.busy.is_none() && self.is_ending(),
            Phase::Ended(ended) => ended.is_finished,
            Phase::NoPlan | Phase::Beginning(_) | Phase::Undoing(_) => false,
        }
    }

    /// A request to the shown run.
    pub(super) fn request(&self, request: DryRequest) -> Effect {
        if self.phase.is_dry() { Effect::Rehearse(request) } else { Effect::Send(request.into()) }
    }

    /// The same for several, in order.
    pub(super) fn requests(&self, cx: &mut Cx, requests: Vec<DryRequest>) {
        requests.into_iter().for_each(|request| cx.effect(self.request(request)));
    }
}
