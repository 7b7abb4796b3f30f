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
pub mod data;

use super::edit_retry::EditRetry;
use crate::engine::message::{Request, TurnState};
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::tui::cx::Cx;
use crate::tui::look::Role;
use crate::tui::parity;
use crate::tui::screen::log::Source;
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::screen::step::data::State as Step;
pub use crate::tui::screen::step::live::data::{Cut, Earlier, Looks, Notice, Phase, Refusal, State};
use crate::tui::state::State as Tui;
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
pub(super) use undo::as_before;
pub use undo::{ask_back, begin_back, give_up, read_first, take_back, undoing, write_undo_plan};

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
        &self.shown.changed
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
        !self.shown.changed.is_empty() || self.shown.resumed.is_some()
    }

    /// Whether an interrupted deploy was resumed and left without a step.
    pub fn left_idle(&self, has_turned: bool) -> bool {
        self.phase == Phase::Over && self.shown.resumed.is_some() && !has_turned
    }

    /// The earlier deploy that applied a resource.
    pub(super) fn done_before(&self, id: &ResourceId) -> Option<u64> {
        self.shown.earlier.as_ref()?.by(id)
    }

    /// Whether the shown run changed this resource.
    pub(super) fn changes(&self, id: &ResourceId) -> bool {
        self.shown.changed_ids.contains(id)
    }

    /// A dry run is shown; what is interrupted or detached stays so.
    pub(super) fn disarm(&mut self) {
        let edit_retry = std::mem::take(&mut self.edit.edit_retry).of_another();
        let earlier = self.shown.earlier.take().filter(|_| edit_retry != EditRetry::Not);
        let ask = self.back.ask;
        *self = State {
            cut: self.cut.take(),
            detached: self.detached.take(),
            is_news: self.is_news,
            needs_root: std::mem::take(&mut self.needs_root),
            strangers: std::mem::take(&mut self.strangers),
            is_first: self.is_first,
            put: self.put.take(),
            ..State::default()
        };
        (self.edit.edit_retry, self.shown.earlier, self.back.ask) = (edit_retry, earlier, ask);
    }

    /// A live run waits for its first request.
    pub(super) fn begun(&mut self, deploy: u64) {
        let (resumed, earlier) = (self.shown.resumed.take(), self.shown.earlier.take());
        let (needs_root, ask) = (std::mem::take(&mut self.needs_root), self.back.ask);
        let as_root = self.as_root;
        *self = State { phase: Phase::Live, deploy: Some(deploy), needs_root, as_root, ..State::default() };
        (self.shown.resumed, self.shown.earlier, self.back.ask) = (resumed, earlier, ask);
    }

    /// Records a step.
    pub(super) fn turned(&mut self, id: &ResourceId, state: &TurnState, action: Option<Plans>) {
        let is_change = action.is_some_and(|action| action != Plans::None);
        let counts = matches!(state, TurnState::Done | TurnState::Failed { .. }) && is_change;
        if self.phase == Phase::Live && counts && self.shown.changed_ids.insert(id.clone()) {
            self.shown.changed.push(id.clone());
        }
    }

    /// Whether a stop was requested since it continued.
    pub(super) fn was_stopped(&self) -> bool {
        self.shown.stops > 0
    }

    pub(super) fn paused(&mut self) {
        self.shown.stops = 0;
    }
}

/// Why the shown plan cannot be applied: fetched modules without approval, also since the plan was made.
pub fn strange(modules: &Modules, step: &Step) -> Option<String> {
    let strangers = &step.live.strangers;
    let mut open = strangers.iter().filter(|stranger| !modules.is_approved(&stranger.module));
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
fn command(cx: &Cx, verb: &str) -> String {
    let other = if cx.project.as_this_host { " --as-this-host" } else { "" };
    format!("workbench {verb}{other} {}", parity::entry_words(cx))
}

/// Logs the equivalent answer at the command line's question.
pub(super) fn log_answer(tui: &mut Tui, request: &Request) {
    let answer = match request {
        Request::Step => "s",
        Request::Skip => "x",
        Request::Continue { until: None } => "c",
        Request::Retry { resource } => {
            let only = super::words::quoted(resource);
            return tui.cx.log_command(format!("{} --only {only}", command(&tui.cx, "apply --step")));
        }
        _ => return,
    };
    tui.cx.log_command(format!("{}  # answer {answer}", command(&tui.cx, "apply --step")));
}

/// Shows why nothing was done. A dialog shows it too, but any key closes that, also one meant for something else. So
/// the status line keeps it until the key after that.
fn show_reason(tui: &mut Tui, words: String) {
    tui.cx.show_fault(words.clone());
    tui.cx.show_notice(Role::Error, words);
}

pub(super) fn log(tui: &mut Tui, words: String) {
    let now = tui.cx.ticks.now.clone();
    tui.cx.log.push(&now, Source::Run, words);
}
