//! A live run that ended with a failure: the deploy stays open, so that the failed steps can be retried within it.
//!
//! There is no next step then. `r` retries a failed step, `e` edits it, `x` skips it. The deploy ends by itself once no
//! failure is left, or by hand, as in [`end`].

use crate::engine::run_view::End;
use crate::graph::ResourceId;
use crate::tui::cx::Cx;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::screen::ScreenId;
use crate::tui::screen::step;
use crate::tui::screen::step::PlanScreen;
use crate::tui::screen::step::rows::Row;

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
pub fn ask(screen: &mut PlanScreen, cx: &mut Cx) -> Vec<Effect> {
    if cx.screen == ScreenId::Step {
        return end(screen, cx);
    }
    let ends = screen.list.rows.ends();
    let deploy = screen.phase.deploy().unwrap_or_default();
    let steps = if ends.failed == 1 { "step" } else { "steps" };
    let words = format!("Deploy {deploy} has {} failed {steps} that you can still retry.", ends.failed);
    let lines = vec![words, "End it anyway?".into()];
    cx.layers.open.push(Question::yes(lines, Action::Stop).into());
    vec![]
}

/// Ends the deploy by hand, with its failures.
pub fn end(screen: &mut PlanScreen, cx: &mut Cx) -> Vec<Effect> {
    super::leave(screen, cx, "by you")
}

/// The keys for the status line after the run's end.
pub(in crate::tui::screen::step) fn ways(screen: &PlanScreen) -> String {
    let edits = if is_ours(screen) { "e edit, " } else { "" };
    format!("still LIVE: r retry, {edits}q end")
}

/// The same on a failed row.
pub(in crate::tui::screen::step) fn stopped(screen: &PlanScreen) -> String {
    let edits = if is_ours(screen) { "e edit, " } else { "" };
    format!("Failed. r retry, {edits}x skip, q end deploy")
}

/// The lines of the page.
pub(super) fn hints(screen: &PlanScreen, deploy: u64) -> Vec<String> {
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
