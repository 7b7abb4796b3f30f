//! The live half of Step: an apply on this machine, under the lock, recorded, and its undo.
//!
//! [`arm`] asks for a live run and starts it, [`notice`] handles the applier's notices, [`end`] stops and ends it,
//! [`undo`] undoes a deploy, [`open`] is a run that ended with a failure, [`interrupted`] is one that did not end.
//! Their common state is here.

mod arm;
mod undo;
mod interrupted;
mod end;
mod notice;
pub mod open;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::conflict::Conflict;
use super::edit_retry::EditRetry;
use super::redo::Redo;
use crate::engine::message::{Event, Request, TurnState};
use crate::graph::ResourceId;
use crate::plan::{Action as Plans, CompiledFor};
use crate::session::history::UndoStep;
use crate::session::{Holder, Standing, Stranger};
use crate::tui::look::Role;
use crate::tui::parity;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::text;
pub(super) use arm::withdraw;
pub use arm::{ask, begin, compiled_for, not_for_here};
pub(super) use end::{back_to_dry, finished, hints, stop};
pub use end::{leave, quit, suspend};
pub(super) use interrupted::{DETACHED, comes_first, go_on, offer, withdraw as withdraw_offer};
pub use interrupted::{
    adopted, changed_words, chosen, due, in_the_way, inspect, look_again, offer_once, resume, resumed, run_again,
    stays, unanswered,
};
pub use notice::on_notice;
use undo::AppliedRun;
pub(super) use undo::as_before;
pub use undo::{ask_back, begin_back, give_up, read_first, take_back, undoing, write_undo_plan};

/// The machine of the shown run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The overlay.
    #[default]
    Dry,
    /// A live run was confirmed; it takes the lock.
    Beginning,
    /// This machine.
    Live,
    /// It was this machine; the lock is released, and the rows show the results.
    Over,
    /// A deploy is being undone.
    TakingBack,
}

/// The live state.
#[derive(Debug, Default)]
pub struct State {
    pub phase: Phase,
    /// The number of the shown deploy, until it is undone.
    pub deploy: Option<u64>,
    /// The changes of the shown run, oldest first, and a set for lookups.
    changed: Vec<ResourceId>,
    changed_ids: FxHashSet<ResourceId>,
    /// How the shown run ended for this session before its last event, in a word.
    pub ending: Option<&'static str>,
    /// An interrupted, unresolved deploy.
    pub cut: Option<Cut>,
    /// A detached applier.
    pub detached: Option<Standing>,
    /// One of these was just reported, and will be offered on any screen.
    pub(super) is_news: bool,
    /// Asks whether to resume it once a current plan is ready.
    pub(super) asks_to_resume: bool,
    /// The deploy that the shown run resumed: it is undone with it.
    resumed: Option<Cut>,
    /// The steps of the shown plan that need root.
    needs_root: Vec<ResourceId>,
    /// The fetched modules in the shown plan that were not approved when it was made.
    strangers: Vec<Stranger>,
    /// There is no valid deploy of this entry.
    pub(super) is_first: bool,
    /// The dry run that was left for a live one, to restore it if that does not start.
    left: Option<Redo>,
    /// Acts as root, through `sudo`, and records in root's history.
    pub(super) as_root: bool,
    /// A password was requested already.
    has_asked: bool,
    /// The program's inputs were watched before the undo.
    was_followed: bool,
    /// The phase before the undo.
    came_from: Phase,
    /// A check before anything is done; it can be cancelled.
    pub(super) looks: Option<Looks>,
    /// The applied resources of this session, which can be undone while other rows are shown.
    pub(super) put: Option<AppliedRun>,
    /// Counts undo questions: the answer to an earlier one is ignored.
    pub ask: u64,
    /// The deploy to undo once `sudo` grants access.
    waits_for_root: Option<u64>,
    /// The progress of an edit after a failure.
    pub(super) edit_retry: EditRetry,
    /// The entry of the shown run, if it differs from that of these screens: the rest is planned there.
    pub of_other: Option<String>,
    /// The compilation of which one edit is retried, while other edits are still to be asked about.
    pub(super) tries_part_of: Option<u64>,
    /// The deploy that this one continues.
    pub(super) earlier: Option<Earlier>,
    /// How many stops were requested since it continued.
    stops: u8,
    /// The request to continue with after a return from the shell.
    pub(super) suspended: Option<Request>,
    /// The progress of an undo.
    far: Option<Far>,
}

/// How many operations of an undo are done, of how many.
#[derive(Clone, Copy, Debug)]
struct Far {
    done: usize,
    of: usize,
}

/// The finished steps of earlier deploys, each with its deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier(BTreeMap<ResourceId, u64>);

impl Earlier {
    /// Adds the steps of a deploy; a step that it found unchanged was done by an earlier one.
    pub fn and(
        mut self,
        deploy: u64,
        done: impl Iterator<Item = ResourceId>,
        has_changed: impl Fn(&ResourceId) -> bool,
    ) -> Self {
        for id in done {
            let before = self.by(&id).filter(|_| !has_changed(&id));
            self.0.insert(id, before.unwrap_or(deploy));
        }
        self
    }

    /// The deploy that applied a resource.
    pub fn by(&self, id: &ResourceId) -> Option<u64> {
        self.0.get(id).copied()
    }

    /// Without steps that are no longer done.
    pub fn still(mut self, is_done: impl Fn(&ResourceId) -> bool) -> Self {
        self.0.retain(|id, _| is_done(id));
        self
    }
}

/// An interrupted deploy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub deploy: u64,
    pub time: String,
    /// The path of its entry.
    pub entry: String,
    /// The hash of its graph.
    pub graph: String,
    /// How what it was compiled for differs from this session's program, in sentences.
    pub differs: Vec<String>,
    /// What it was compiled for, if a resume compiles for that first.
    pub adopts: Option<Box<CompiledFor>>,
    /// The deploy that it was undoing.
    pub takes_back: Option<u64>,
    /// Each operation with its result.
    pub deeds: Vec<String>,
    /// The interrupted commands, with unknown effects.
    pub commands: Vec<String>,
    /// The resources whose commands succeeded.
    pub ran: Vec<ResourceId>,
    /// It belongs to another entry, and cannot be resumed here.
    pub is_other: bool,
    /// It is in root's history, and is resumed through `sudo`.
    pub as_root: bool,
}

/// Why a live run did not start. Nothing was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    Held(Holder),
    Unfinished(Box<Cut>),
    /// `sudo` wants a password.
    Password,
    /// A detached applier waits.
    Parked(Box<Standing>),
    /// Someone else made a change.
    Conflict(Box<Conflict>),
    /// By the user.
    GivenUp,
    Other(Vec<String>),
}

/// A check before a live run or an undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// Of a deploy's results, before its undo.
    Back(u64),
    /// Of an interrupted deploy, before it is resumed.
    Resume(u64),
}

/// The applier's notices other than events of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// It started, with its first event: between two messages, keys would meet a run that does not wait yet.
    Begun {
        run: u64,
        deploy: u64,
        first: Option<Event>,
    },
    Refused {
        run: u64,
        why: Refusal,
    },
    /// The edit cannot be used in the deploy, and why.
    NotAmended {
        run: u64,
        resource: ResourceId,
        why: String,
    },
    CutOff(Cut),
    /// Nothing is interrupted or detached in our history, or in root's.
    Settled {
        as_root: bool,
    },
    /// It could not be checked, and why.
    NotKnown {
        as_root: bool,
        why: String,
    },
    /// The steps of the next plan that need root.
    NeedsRoot(Vec<ResourceId>),
    /// The fetched modules of that plan without approval.
    Strangers(Vec<Stranger>),
    /// Whether there may be a valid earlier deploy of this entry.
    Applied(bool),
    /// The answer of `sudo`, or why it refused.
    MayBeRoot {
        run: u64,
        result: Result<(), String>,
    },
    /// Nothing was undone: the user cancelled.
    UndoCancelled,
    /// Nothing was undone: `sudo` wants a password.
    UndoNeedsPassword {
        deploy: u64,
    },
    /// Nothing was undone: someone else made a change.
    Conflict(Box<Conflict>),
    /// Nothing was undone, and why.
    NotUndone {
        deploy: u64,
        why: Vec<String>,
    },
    /// What an undo would do now, newest operation first; includes the deploy that it resumed.
    UndoPlanned {
        /// The question that this answers.
        ask: u64,
        deploy: u64,
        steps: Result<Vec<UndoStep>, String>,
    },
    /// The checks are done: an undo is running, with its progress.
    Undoing {
        run: u64,
        done: usize,
        of: usize,
    },
    /// `Ok`: what was undone. `Err`: what was not, and why.
    Undone {
        deploy: u64,
        result: Result<Vec<String>, Vec<String>>,
    },
}

impl State {
    /// Whether this machine may be changed now.
    pub fn is_live(&self) -> bool {
        matches!(self.phase, Phase::Beginning | Phase::Live | Phase::TakingBack)
    }

    /// Whether the rows show this machine and not the overlay.
    pub fn shows_live(&self) -> bool {
        self.phase != Phase::Dry
    }

    /// What the shown run changed or started to change, oldest first.
    pub(super) fn changed(&self) -> &[ResourceId] {
        &self.changed
    }

    /// Whether there may be a valid deploy of this entry.
    pub fn may_be_compared(&self) -> bool {
        !self.is_first
    }

    /// The next action concerns our own history.
    pub fn is_ours(&mut self) {
        self.as_root = false;
    }

    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty() || self.resumed.is_some()
    }

    /// Whether an interrupted deploy was resumed and left without a step.
    pub fn left_idle(&self, has_turned: bool) -> bool {
        self.phase == Phase::Over && self.resumed.is_some() && !has_turned
    }

    /// The earlier deploy that applied a resource.
    pub(super) fn done_before(&self, id: &ResourceId) -> Option<u64> {
        self.earlier.as_ref()?.by(id)
    }

    /// Whether the shown run changed this resource.
    pub(super) fn changes(&self, id: &ResourceId) -> bool {
        self.changed_ids.contains(id)
    }

    /// A dry run is shown; what is interrupted or detached stays so.
    pub(super) fn disarm(&mut self) {
        let needs_root = std::mem::take(&mut self.needs_root);
        let edit_retry = std::mem::take(&mut self.edit_retry).of_another();
        let (cut, detached, strangers) = (self.cut.take(), self.detached.take(), std::mem::take(&mut self.strangers));
        let (is_first, put, is_news, ask) = (self.is_first, self.put.take(), self.is_news, self.ask);
        let earlier = self.earlier.take().filter(|_| edit_retry != EditRetry::Not);
        let kept = State { cut, detached, needs_root, strangers, earlier, ..State::default() };
        *self = State { is_first, is_news, edit_retry, put, ask, ..kept };
    }

    /// A live run waits for its first request.
    pub(super) fn begun(&mut self, deploy: u64) {
        let resumed = self.resumed.take();
        let (needs_root, as_root, earlier) = (std::mem::take(&mut self.needs_root), self.as_root, self.earlier.take());
        let run = State { phase: Phase::Live, deploy: Some(deploy), earlier, ask: self.ask, ..State::default() };
        *self = State { resumed, needs_root, as_root, ..run };
    }

    /// Records a step.
    pub(super) fn turned(&mut self, id: &ResourceId, state: &TurnState, action: Option<Plans>) {
        let is_change = action.is_some_and(|action| action != Plans::None);
        let counts = matches!(state, TurnState::Done | TurnState::Failed { .. }) && is_change;
        if self.phase == Phase::Live && counts && self.changed_ids.insert(id.clone()) {
            self.changed.push(id.clone());
        }
    }

    /// Whether a stop was requested since it continued.
    pub(super) fn was_stopped(&self) -> bool {
        self.stops > 0
    }

    pub(super) fn paused(&mut self) {
        self.stops = 0;
    }
}

/// Why the shown plan cannot be applied: fetched modules without approval, also since the plan was made.
pub fn strange(tui: &Tui) -> Option<String> {
    let strangers = &tui.step.live.strangers;
    let mut open = strangers.iter().filter(|stranger| !tui.modules.is_approved(&stranger.module));
    let (first, more) = (text::safe(&open.next()?.module.name), open.count());
    let (who, was) = match more {
        0 => (first, "was"),
        1 => (format!("{first} and 1 more"), "were"),
        more => (format!("{first} and {more} more"), "were"),
    };
    let unlocked = strangers.iter().any(|stranger| !stranger.module.is_locked);
    let lacks = if unlocked { ", and is missing in workbench.lock" } else { "" };
    Some(format!("{who} {was} fetched but not approved{lacks}: read it on Modules (4), Space a approves it"))
}

/// A command line for this entry.
fn command(tui: &Tui, verb: &str) -> String {
    let other = if tui.as_this_host { " --as-this-host" } else { "" };
    format!("workbench {verb}{other} {}", parity::entry_words(tui))
}

/// Logs the equivalent answer at the command line's question.
pub(super) fn log_answer(tui: &mut Tui, request: &Request) {
    let answer = match request {
        Request::Step => "s",
        Request::Skip => "x",
        Request::Continue { until: None } => "c",
        Request::Retry { resource } => {
            let only = super::observe::shown(resource);
            return update::log_command(tui, format!("{} --only {only}", command(tui, "apply --step")));
        }
        _ => return,
    };
    update::log_command(tui, format!("{}  # answer {answer}", command(tui, "apply --step")));
}

/// Shows why nothing was done. A dialog shows it too, but any key closes that, also one meant for something else. So
/// the status line keeps it until the key after that.
fn show_reason(tui: &mut Tui, words: String) {
    tui.show_fault(words.clone());
    tui.show_notice(Role::Error, words);
}

pub(super) fn log(tui: &mut Tui, words: String) {
    let now = tui.now.clone();
    tui.log.push(&now, Source::Run, words);
}
