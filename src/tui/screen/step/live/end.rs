//! Stops, leaves and ends a live run, and lists the actions after its end.
//!
//! After a failure the deploy stays open, so that the failed steps can be retried within it. There is no next step then.
//! `r` retries a failed step, `e` edits it, `x` skips it. The deploy ends by itself once no failure is left, or by hand.

use super::undo::{self, AppliedRun};
use crate::engine::message::Request;
use crate::engine::run_view::End;
use crate::graph::ResourceId;
use crate::session::history::resources;
use crate::tui::screen::step::phase::{DryRun, Ended, Phase};
use crate::tui::screen::{ScreenId, step};
use crate::tui::{
    cx::Cx, effect::Effect, events, keymap::Action, layer::Question, look::Role, screen::step::PlanScreen,
    screen::step::data::Redo, screen::step::rows::Row, widget::text,
};

/// Restores the dry run that was shown, as far as it had run.
pub(in crate::tui::screen::step) fn restore_dry_run(screen: &mut PlanScreen, cx: &mut Cx, left: Option<Redo>) {
    (screen.later.redo, screen.later.asks_to_resume) = (left, false);
    let rest = screen.phase.take_rest();
    match (screen.program.clone(), screen.plan.clone()) {
        (Some(program), Some(plan)) => {
            screen.phase = Phase::Dry(DryRun { rest, ..DryRun::default() });
            step::planned(screen, cx, program, plan, screen.turn)
        }
        _ => step::planning::plan_if_none(screen, cx),
    }
}

/// The run has ended without a failure, so a live one ends with it: the lock is released, and nothing more is written
/// without a new confirmation. If all steps succeeded, the applied resources and the inputs are watched.
pub(in crate::tui::screen::step) fn finished(screen: &mut PlanScreen, cx: &mut Cx, is_well: bool) {
    if screen.phase.live().is_none() {
        return;
    }
    end(screen, true);
    cx.effect(Effect::EndLive);
    if is_well {
        step::watch::begin(screen, cx);
        screen.live.put = AppliedRun::of(screen);
        events::follow(screen, cx);
        // An event may have arrived meanwhile.
        step::graph_differs(screen, cx);
    }
}

/// The shown live run is over.
pub(super) fn end(state: &mut step::State, is_finished: bool) {
    state.phase = Phase::Ended(Box::new(Ended { is_finished, ..*state.phase.take_ended() }));
}

/// Returns to dry; steps that did not run are left as they are.
pub fn leave(screen: &mut PlanScreen, cx: &mut Cx, why: &str) {
    let Some(live) = screen.phase.waiting_live() else { return };
    let (was_open, ends) = (screen.is_open_at_end(), screen.list.rows.ends());
    let words = match was_open {
        true => {
            let blocked = if ends.blocked > 0 { format!(", {} blocked", ends.blocked) } else { String::new() };
            let again = if live.shown.of_other.is_none() { "A retry, " } else { "" };
            format!("LIVE ended {why}: {} failed{blocked}; {again}u undo", ends.failed)
        }
        false => {
            let waiting = screen.list.rows.total() - screen.list.rows.turned();
            format!("LIVE ended {why}: {waiting} not run; p makes a new plan")
        }
    };
    cx.announce(Role::Note, words);
    end(screen, was_open);
    screen.list.rows.run.forget_next();
    screen.shows.summary = true;
    step::summary::end(screen);
    cx.effect(Effect::EndLive)
}

/// First asks the run to stop after this step; then kills the running command; then detaches.
pub(in crate::tui::screen::step) fn stop(screen: &mut PlanScreen, cx: &mut Cx) {
    // A check is cancelled; that is no stop of the undo behind it.
    if undo::give_up(screen, cx) {
        return;
    }
    let times = match &mut screen.phase {
        Phase::Live(live) => {
            live.suspended = None;
            live.stops = live.stops.saturating_add(1);
            live.stops
        }
        Phase::Undoing(undoing) => {
            undoing.stops = undoing.stops.saturating_add(1);
            let times = undoing.stops;
            return undo::stopped_by(cx, times);
        }
        _ => return,
    };
    match times {
        0 | 1 => {
            cx.show_notice(Role::Note, "Stopping after this step. Ctrl-C again kills the command.");
            cx.effect(Effect::Send(Request::Stop))
        }
        3.. => {
            cx.show_notice(Role::Warning, "detached: it finishes the current change, then waits");
            cx.effect(Effect::LetGo)
        }
        2 => {
            cx.show_notice(Role::Warning, "Command killed. Ctrl-C again detaches.");
            cx.effect(Effect::Abort)
        }
    }
}

/// Suspends the screens. A continuing live run finishes its step, as with a stop, and continues afterwards.
pub fn suspend(screen: &mut PlanScreen, cx: &mut Cx) {
    let live = screen.phase.live_mut().filter(|live| live.stops == 0);
    let Some((live, going)) = live.and_then(|live| live.run.going().cloned().map(|going| (live, going))) else {
        return cx.effect(Effect::Suspend);
    };
    live.suspended = Some(going);
    super::log(cx, "paused while the TUI is suspended".into());
    cx.effect(Effect::Send(Request::Stop));
    cx.effect(Effect::Suspend)
}

/// Asks before a live run is left in the middle; one that is open at its end is ended first.
pub fn quit(screen: &mut PlanScreen, cx: &mut Cx) {
    if screen.is_open_at_end() {
        return ask_end(screen, cx);
    }
    if !screen.phase.is_live() || (!screen.is_running() && screen.next_id().is_none()) {
        return cx.effect(Effect::Quit);
    }
    let waiting = screen.list.rows.total() - screen.list.rows.turned();
    let what = match screen.phase {
        Phase::Undoing(_) => "An undo is in progress.".into(),
        _ => format!("Apply in progress: {} left.", resources(waiting as u64)),
    };
    let lines = vec![what, "Quit? The current step finishes first; the rest is not applied.".into()];
    cx.layers.open.push(Question::yes(lines, Action::Quit).into());
}

impl step::State {
    /// Whether a live run is over, with something left to retry.
    pub fn may_try_again(&self) -> bool {
        self.to_try_again().is_some()
    }

    /// The step to retry after a live run: the first failure, else a skipped resource that is not unchanged.
    pub fn to_try_again(&self) -> Option<&ResourceId> {
        let shown = &self.phase.ended().filter(|ended| ended.is_finished)?.shown;
        if shown.deploy.is_none() || shown.of_other.is_some() {
            return None;
        }
        let failed = self.list.rows.troubled().find(|row| row.has_failed());
        failed.or_else(|| self.list.rows.troubled().find(|row| !self.is_idle(&row.id))).map(|row| &row.id)
    }
}

/// The lines below the end of a live run: what can be done now.
pub(in crate::tui::screen::step) fn hints(screen: &PlanScreen) -> Vec<String> {
    let Some((deploy, shown)) = screen.phase.shown().and_then(|shown| Some((shown.deploy?, shown))) else {
        return vec!["p makes a new plan.".into()];
    };
    if screen.is_open_at_end() {
        return open_hints(screen, deploy);
    }
    let mut lines = Vec::new();
    let sudo = if shown.as_root { "sudo " } else { "" };
    let may_try_again = screen.may_try_again();
    if may_try_again {
        let what = if screen.list.rows.run.counts().failed > 0 { "the failed steps" } else { "the skipped steps" };
        lines.push(format!("LIVE has ended. A applies what is left, r starts with {what}; both ask first."));
    }
    if let Some(entry) = &shown.of_other {
        lines.push(format!("It belongs to {}: plan the rest there.", text::safe(entry)));
    }
    if shown.has_changed() {
        lines.push(match shown.of_other {
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

impl step::State {
    /// Whether the shown live run is at its end and still open.
    pub fn is_open_at_end(&self) -> bool {
        self.phase.waiting_live().is_some() && self.next_id().is_none() && self.list.rows.run.end == End::Reported
    }

    /// Whether the selected row failed.
    pub fn cursor_failed(&self) -> bool {
        self.cursor_id().is_some_and(|id| self.has_failed(id))
    }

    /// Whether the step of a resource failed.
    pub(in crate::tui::screen::step) fn has_failed(&self, id: &ResourceId) -> bool {
        self.list.rows.find(id).is_some_and(Row::has_failed)
    }

    /// The step that failed last.
    pub(in crate::tui::screen::step) fn last_failure(&self) -> Option<&ResourceId> {
        self.taken.iter().rev().map(|(id, _)| id).find(|id| self.has_failed(id))
    }

    /// The failure to edit or retry: the selected one, or the last.
    pub(in crate::tui::screen::step) fn failure(&self) -> Option<&ResourceId> {
        self.cursor_id().filter(|id| self.has_failed(id)).or_else(|| self.last_failure())
    }

    /// Whether the failure of the selected resource is shown.
    pub fn shows_failure(&self) -> bool {
        !self.shows.summary && self.cursor_failed()
    }
}

/// Ends it on Step, where it is shown; asks on other screens.
pub fn ask_end(screen: &mut PlanScreen, cx: &mut Cx) {
    if cx.screen == ScreenId::Step {
        return end_by_hand(screen, cx);
    }
    let ends = screen.list.rows.ends();
    let deploy = screen.phase.deploy().unwrap_or_default();
    let steps = if ends.failed == 1 { "step" } else { "steps" };
    let words = format!("Deploy {deploy} has {} failed {steps} that you can still retry.", ends.failed);
    let lines = vec![words, "End it anyway?".into()];
    cx.layers.open.push(Question::yes(lines, Action::Stop).into());
}

/// Ends the deploy by hand, with its failures.
pub fn end_by_hand(screen: &mut PlanScreen, cx: &mut Cx) {
    leave(screen, cx, "by you")
}

/// The keys for the status line after the run's end.
pub(in crate::tui::screen::step) fn ways(screen: &PlanScreen) -> String {
    let edits = if is_ours(screen) { "e edit, " } else { "" };
    format!("r retry, {edits}x skip, q end")
}

/// The same on a failed row.
pub(in crate::tui::screen::step) fn stopped(screen: &PlanScreen) -> String {
    let edits = if is_ours(screen) { "e edit, " } else { "" };
    format!("Failed. r retry, {edits}x skip, q end deploy")
}

/// The lines of the page.
fn open_hints(screen: &PlanScreen, deploy: u64) -> Vec<String> {
    let edits = if is_ours(screen) { "e edit, " } else { "" };
    vec![
        format!("Deploy {deploy} stays LIVE. r retries the failed step; then s or c runs it and its dependents."),
        format!("{edits}x skip, u undo the deploy, q end it."),
    ]
}

/// Whether an edit here changes the run's program.
fn is_ours(step: &step::State) -> bool {
    step.phase.shown().is_none_or(|shown| shown.of_other.is_none())
}
