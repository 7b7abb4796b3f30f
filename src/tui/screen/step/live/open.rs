//! A live run that ended with a failure: the deploy stays open, so that the failed steps can be retried within it.
//!
//! There is no next step then. `r` retries a failed step, `e` edits it, `x` skips it. The deploy ends by itself once no
//! failure is left, or by hand, as in [`end`].

use super::Phase;
use crate::engine::message::TurnState;
use crate::engine::run_view::End;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step;
use crate::tui::state::State as Tui;

impl step::State {
    /// Whether the shown live run is at its end and still open.
    pub fn is_open_at_end(&self) -> bool {
        self.live.phase == Phase::Live
            && !self.running
            && self.next_id().is_none()
            && self.list.rows.run.end == End::Reported
    }

    /// Whether the selected row failed.
    pub fn cursor_failed(&self) -> bool {
        let row = self.list.rows.shown(self.list.cursor());
        row.is_some_and(|row| matches!(row.state, TurnState::Failed { .. }))
    }

    /// Whether the failure of the selected resource is shown.
    pub fn shows_failure(&self) -> bool {
        !self.shows.summary && self.cursor_failed()
    }
}

/// Ends it on Step, where it is shown; asks on other screens.
pub fn ask(tui: &mut Tui) -> Vec<Effect> {
    if tui.cx.screen == ScreenId::Step {
        return end(tui);
    }
    let ends = tui.screens.step.list.rows.ends();
    let deploy = tui.screens.step.live.deploy.unwrap_or_default();
    let steps = if ends.failed == 1 { "step" } else { "steps" };
    let words = format!("Deploy {deploy} has {} failed {steps} that you can still retry.", ends.failed);
    let lines = vec![words, "End it anyway?".into()];
    tui.cx.layers.open.push(Question::yes(lines, Action::Stop).into());
    vec![]
}

/// Ends the deploy by hand, with its failures.
pub fn end(tui: &mut Tui) -> Vec<Effect> {
    super::leave(tui, "by you")
}

/// The keys for the status line after the run's end.
pub(in crate::tui::screen::step) fn ways(tui: &Tui) -> String {
    let edits = if is_ours(&tui.screens.step) { "e edit, " } else { "" };
    format!("still LIVE: r retry, {edits}q end")
}

/// The same on a failed row.
pub(in crate::tui::screen::step) fn stopped(tui: &Tui) -> String {
    let edits = if is_ours(&tui.screens.step) { "e edit, " } else { "" };
    format!("Failed. r retry, {edits}x skip, q end deploy")
}

/// The lines of the page.
pub(super) fn hints(tui: &Tui, deploy: u64) -> Vec<String> {
    let edits = if is_ours(&tui.screens.step) { "e edit, " } else { "" };
    vec![
        format!("Deploy {deploy} stays LIVE. r retries the failed step; then s or c runs it and its dependents."),
        format!("{edits}x skip, u undo the deploy, q end it."),
    ]
}

/// Whether an edit here changes the run's program.
fn is_ours(step: &step::State) -> bool {
    step.live.shown.of_other.is_none()
}
