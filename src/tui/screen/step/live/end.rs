//! Stops, leaves and ends a live run, and lists the actions after its end.

use super::undo::{self, AppliedRun};
use super::{Phase, log, open};
use crate::engine::message::{Request, TurnState};
use crate::graph::ResourceId;
use crate::session::history::resources;
use crate::tui::effect::Effect;
use crate::tui::events;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::look::Role;
use crate::tui::screen::step;
use crate::tui::screen::step::rows::Row;
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// Restores the dry run that was shown, as far as it had run.
pub(in crate::tui::screen::step) fn back_to_dry(tui: &mut Tui) -> Vec<Effect> {
    let state = &mut tui.screens.step;
    state.again.redo = state.live.left.take();
    state.live.disarm();
    match (state.program.clone(), state.plan.clone()) {
        (Some(program), Some(plan)) => step::planned(tui, program, plan, tui.screens.step.turn),
        _ => {
            state.running = false;
            vec![]
        }
    }
}

/// The run has ended without a failure, so a live one ends with it: the lock is released, and nothing more is written
/// without a new confirmation. If all steps succeeded, the applied resources and the inputs are watched.
pub(in crate::tui::screen::step) fn finished(tui: &mut Tui, is_well: bool) -> Vec<Effect> {
    if tui.screens.step.live.phase != Phase::Live {
        return vec![];
    }
    tui.screens.step.live.phase = Phase::Over;
    let mut effects = vec![Effect::EndLive];
    if is_well {
        effects.extend(step::watch::begin(tui));
        tui.screens.step.live.put = AppliedRun::of(tui);
        effects.extend(events::follow(&tui.screens.step, &mut tui.cx));
        // An event may have arrived meanwhile.
        effects.extend(step::graph_differs(tui));
    }
    effects
}

/// Returns to dry; steps that did not run are left as they are.
pub fn leave(tui: &mut Tui, why: &str) -> Vec<Effect> {
    if tui.screens.step.live.phase != Phase::Live || tui.screens.step.running {
        return vec![];
    }
    let (was_open, ends) = (tui.screens.step.is_open_at_end(), tui.screens.step.list.rows.ends());
    let words = match was_open {
        true => {
            let blocked = if ends.blocked > 0 { format!(", {} blocked", ends.blocked) } else { String::new() };
            let again = if tui.screens.step.live.shown.of_other.is_none() { "A retry, " } else { "" };
            format!("LIVE ended {why}: {} failed{blocked}; {again}u undo", ends.failed)
        }
        false => {
            let waiting = tui.screens.step.list.rows.total() - tui.screens.step.list.rows.turned();
            format!("LIVE ended {why}: {waiting} not run; p makes a new plan")
        }
    };
    log(tui, words.clone());
    tui.cx.show_notice(Role::Note, words);
    (tui.screens.step.live.phase, tui.screens.step.finished) = (Phase::Over, was_open);
    tui.screens.step.list.rows.run.forget_next();
    tui.screens.step.shows.summary = true;
    step::summary::end(&mut tui.screens.step);
    vec![Effect::EndLive]
}

/// First asks the run to stop after this step; then kills the running command; then detaches.
pub(in crate::tui::screen::step) fn stop(tui: &mut Tui) -> Vec<Effect> {
    let live = &mut tui.screens.step.live;
    if live.phase == Phase::Beginning {
        return undo::give_up(tui).unwrap_or_default();
    }
    live.shown.stops = live.shown.stops.saturating_add(1);
    live.shown.suspended = None;
    match (live.phase, live.shown.stops) {
        (Phase::TakingBack, times) => undo::stopped_by(tui, times),
        (_, 1) => {
            tui.cx.show_notice(Role::Note, "Stopping after this step. Ctrl-C again kills the command.");
            vec![Effect::Send(Request::Stop)]
        }
        (_, 3..) => {
            tui.cx.show_notice(Role::Warning, "detached: it finishes the current change, then waits");
            vec![Effect::LetGo]
        }
        (_, _) => {
            tui.cx.show_notice(Role::Warning, "Command killed. Ctrl-C again detaches.");
            vec![Effect::Abort]
        }
    }
}

/// Suspends the screens. A continuing live run finishes its step, as with a stop, and continues afterwards.
pub fn suspend(tui: &mut Tui) -> Vec<Effect> {
    let step = &mut tui.screens.step;
    let goes_on = step.live.phase == Phase::Live && step.running && step.live.shown.stops == 0;
    match step.queue.going.clone().filter(|_| goes_on) {
        None => vec![Effect::Suspend],
        going => {
            step.live.shown.suspended = going;
            super::log(tui, "paused while the TUI is suspended".into());
            vec![Effect::Send(Request::Stop), Effect::Suspend]
        }
    }
}

/// Asks before a live run is left in the middle; one that is open at its end is ended first.
pub fn quit(tui: &mut Tui) -> Vec<Effect> {
    if tui.screens.step.is_open_at_end() {
        return open::ask(tui);
    }
    let state = &tui.screens.step;
    if !state.live.is_live() || (!state.running && state.next_id().is_none()) {
        return vec![Effect::Quit];
    }
    let waiting = state.list.rows.total() - state.list.rows.turned();
    let what = match state.live.phase {
        Phase::TakingBack => "An undo is in progress.".into(),
        _ => format!("Apply in progress: {} left.", resources(waiting as u64)),
    };
    let lines = vec![what, "Quit? The current step finishes first; the rest is not applied.".into()];
    tui.cx.layers.open.push(Question::yes(lines, Action::Quit).into());
    vec![]
}

impl step::State {
    /// Whether a live run is over, with something left to retry.
    pub fn may_try_again(&self) -> bool {
        self.to_try_again().is_some()
    }

    /// The step to retry after a live run: the first failure, else a skipped resource that is not unchanged.
    pub fn to_try_again(&self) -> Option<&ResourceId> {
        let live = &self.live;
        if live.phase != Phase::Over || live.deploy.is_none() || live.shown.of_other.is_some() || !self.finished {
            return None;
        }
        let has_failed = |row: &&Row| matches!(row.state, TurnState::Failed { .. });
        let failed = self.list.rows.troubled().find(has_failed);
        failed.or_else(|| self.list.rows.troubled().find(|row| !self.is_idle(&row.id))).map(|row| &row.id)
    }
}

/// The lines below the end of a live run: what can be done now.
pub(in crate::tui::screen::step) fn hints(tui: &Tui) -> Vec<String> {
    let live = &tui.screens.step.live;
    let Some(deploy) = live.deploy else { return vec!["p makes a new plan.".into()] };
    if tui.screens.step.is_open_at_end() {
        return open::hints(tui, deploy);
    }
    let mut lines = Vec::new();
    let sudo = if live.as_root { "sudo " } else { "" };
    let may_try_again = tui.screens.step.may_try_again();
    if may_try_again {
        let what =
            if tui.screens.step.list.rows.run.counts().failed > 0 { "the failed steps" } else { "the skipped steps" };
        lines.push(format!("LIVE has ended. A applies what is left, r starts with {what}; both ask first."));
    }
    if let Some(entry) = &live.shown.of_other {
        lines.push(format!("It belongs to {}: plan the rest there.", text::safe(entry)));
    }
    if live.has_changed() {
        lines.push(match live.shown.of_other {
            Some(_) => "u undoes this deploy. On the command line:".to_string(),
            None => "u undoes this deploy, p makes a new plan. On the command line:".to_string(),
        });
        lines.push(format!("  {sudo}workbench deploy undo {deploy}"));
    } else if may_try_again {
        lines.push("Nothing was changed. Details:".into());
    } else {
        lines.push("Nothing was changed. p makes a new plan. Details:".into());
    }
    lines.push(format!("  {sudo}workbench deploy show {deploy}"));
    lines
}
