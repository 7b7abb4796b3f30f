//! A live run that is at its end where something failed: the deploy stays open, so that this is tried again within it.
//!
//! Nothing is next there. `r` makes what failed the next once more, `e` edits it, `x` leaves it out; the deploy ends by itself once
//! nothing has failed any more, and by hand as [`end`] does it.

use super::Phase;
use crate::engine::message::TurnState;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step;
use crate::tui::screen::step::End;
use crate::tui::state::State as Tui;

impl step::State {
    /// Whether the live run on show is at its end and still open.
    pub fn is_open_at_end(&self) -> bool {
        self.live.phase == Phase::Live && !self.running && self.next.is_none() && self.end == End::Told
    }

    /// Whether the row under the cursor failed.
    pub fn cursor_failed(&self) -> bool {
        let row = self.rows.shown(self.list.cursor);
        row.is_some_and(|row| matches!(row.state, TurnState::Failed { .. }))
    }

    /// Whether why the selected resource failed is on show.
    pub fn shows_failure(&self) -> bool {
        !self.summary && self.cursor_failed()
    }
}

/// Ends it on Step, where it is on show; elsewhere it is asked first.
pub fn ask(tui: &mut Tui) -> Vec<Effect> {
    if tui.screen == ScreenId::Step {
        return end(tui);
    }
    let ends = tui.step.rows.ends();
    let deploy = tui.step.live.deploy.unwrap_or_default();
    let steps = if ends.failed == 1 { "step" } else { "steps" };
    let words = format!("Deploy {deploy} has {} failed {steps} that you can still retry.", ends.failed);
    let lines = vec![words, "End it anyway?".into()];
    tui.layers.push(Layer::confirm(lines, Action::Stop));
    vec![]
}

/// Ends the deploy by hand, with what failed as it is.
pub fn end(tui: &mut Tui) -> Vec<Effect> {
    super::leave(tui, "by you")
}

/// The keys that work there, for the status line after the run's end.
pub(in crate::tui::screen::step) fn ways(tui: &Tui) -> String {
    let edits = if is_ours(tui) { "e edit, " } else { "" };
    format!("still LIVE: r retry, {edits}q end")
}

/// The same beside one that failed.
pub(in crate::tui::screen::step) fn stopped(tui: &Tui) -> String {
    let edits = if is_ours(tui) { "e edit, " } else { "" };
    format!("Failed. r retry, {edits}x skip, q end deploy")
}

/// The lines of the page.
pub(super) fn hints(tui: &Tui, deploy: u64) -> Vec<String> {
    let edits = if is_ours(tui) { "e edit, " } else { "" };
    vec![
        format!("Deploy {deploy} stays LIVE. r retries the failed step; then s or c runs it and its dependents."),
        format!("{edits}x skip, u undo the deploy, q end it."),
    ]
}

/// What one edits here is what the run is of.
fn is_ours(tui: &Tui) -> bool {
    tui.step.live.of_other.is_none()
}
