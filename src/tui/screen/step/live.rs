//! The live half of Step: an apply on this machine, under the lock, recorded, and its undo.
//!
//! [`arm`] asks for a live run and starts it, [`notice`] handles the applier's notices, [`end`] stops and ends it,
//! also after a failure, [`undo`] undoes a deploy, [`interrupted`] is one that did not end. What is known whatever the
//! phase is here.

mod arm;
mod undo;
mod interrupted;
mod end;
mod notice;
pub mod data;

use super::phase::{Beginning, Begins, DryRequest, LiveRun, Phase, Run, Shown};
use crate::graph::ResourceId;
pub use crate::tui::screen::step::live::data::{Cut, Earlier, Notice, Refusal, State};
use crate::tui::screen::{modules, step};
use crate::tui::{cx::Cx, look::Role, parity, screen::log::Source, widget::text};
pub(super) use arm::withdraw;
pub use arm::{ask, begin, compiled_for, not_for_here};
pub use end::{ask_end, end_by_hand, leave, quit, suspend};
pub(super) use end::{finished, hints, restore_dry_run, stop, stopped, ways};
pub(super) use interrupted::{DETACHED, comes_first, offer, resume_cut, withdraw as withdraw_offer};
pub use interrupted::{
    adopted, changed_words, chosen, in_the_way, inspect, look_again, offer_once, pending_effects, resume, resumed,
    run_again, stays, unanswered,
};
pub use notice::on_notice;
pub use undo::Subject;
pub(super) use undo::as_before;
pub use undo::{ask_undo, begin_undo, give_up, read_first, undo_confirmed, write_undo_plan};

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
    /// Whether there may be a valid deploy of this entry.
    pub fn may_be_compared(&self) -> bool {
        !self.is_first
    }
}

impl Phase {
    /// The earlier deploy that applied a resource.
    pub(super) fn done_before(&self, id: &ResourceId) -> Option<u64> {
        self.earlier()?.by(id)
    }
}

/// A live run waits for its first request: whatever was interrupted is resolved.
pub(super) fn begun(state: &mut step::State, deploy: u64) {
    let known = &mut state.live;
    *known = State { needs_root: std::mem::take(&mut known.needs_root), ask: known.ask, ..State::default() };
    let Beginning { run, begins, as_root, rest, .. } = match std::mem::take(&mut state.phase) {
        Phase::Beginning(begins) => *begins,
        _ => Beginning { run: Run::starting(), ..Beginning::default() },
    };
    let shown = match begins {
        Begins::Applies => Shown { as_root, earlier: rest.earlier, ..Shown::default() },
        Begins::Resumes(cut) => Shown { as_root, resumed: Some(cut), ..Shown::default() },
        Begins::Attaches(ended) => {
            let same = ended.map(|ended| ended.shown).filter(|shown| shown.deploy == Some(deploy)).unwrap_or_default();
            Shown { as_root, resumed: same.resumed, earlier: same.earlier, ..Shown::default() }
        }
    };
    let shown = Shown { deploy: Some(deploy), ..shown };
    state.phase = Phase::Live(Box::new(LiveRun { run, shown, ..LiveRun::default() }));
}

/// Why the shown plan cannot be applied: fetched modules without approval, also since the plan was made.
pub fn strange(screen: &step::State, modules: &modules::State) -> Option<String> {
    let strangers = &screen.live.strangers;
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
pub(super) fn log_answer(cx: &mut Cx, request: &DryRequest) {
    let answer = match request {
        DryRequest::Step => "s",
        DryRequest::Skip => "x",
        DryRequest::Continue { until: None } => "c",
        DryRequest::Recheck { resource } => {
            let only = super::words::quoted(resource);
            return cx.log_command(format!("{} --only {only}", command(cx, "apply --step")));
        }
        _ => return,
    };
    cx.log_command(format!("{}  # answer {answer}", command(cx, "apply --step")));
}

/// Shows why nothing was done. A dialog shows it too, but any key closes that, also one meant for something else. So
/// the status line keeps it until the key after that.
fn show_reason(cx: &mut Cx, words: String) {
    cx.show_fault(words.clone());
    cx.show_notice(Role::Error, words);
}

pub(super) fn log(cx: &mut Cx, words: String) {
    let now = cx.ticks.now.clone();
    cx.log.push(&now, Source::Run, words);
}
