//! A hint for a task if the screens are not where its text assumes: how to get there.

use super::Tutor;
use crate::tui::front::Front;
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::{Pane, ScreenId};

const TO_MODULES: &str = "{modules} goes back to Modules.";
const TO_CODE: &str = "{code} goes back to the text.";
const TO_STEP: &str = "{plan-screen} goes back to Plan.";

/// `None` if the task's text is enough.
pub(super) fn missing(front: Front<'_>, code: &Code, graph: &Graph, tutor: Tutor, task: &str) -> Option<&'static str> {
    let Front { cx, step, .. } = front;
    let is_on_step = cx.screen == ScreenId::Step;
    match task {
        "open" if cx.screen == ScreenId::Code => Some("This is another file: {modules} goes back to Modules."),
        "open" => (cx.screen != ScreenId::Modules).then_some(TO_MODULES),
        "read" if cx.screen != ScreenId::Code => Some(TO_CODE),
        "read" if !code.doc().is_some_and(|doc| doc.name.ends_with("layout.mcl")) => {
            Some("This is another file: {modules} goes back to Modules; open `layout.mcl` there.")
        }
        "read" if cx.focus() != Pane::Text => Some("{back} goes back to the text."),
        "read" => tutor
            .missed
            .then_some("No symbol there. `:11` and Enter go to line 11 of `layout.mcl`, {word} to its words."),
        "graph" if cx.screen == ScreenId::Graph && graph.is_narrowed() => Some("{back} shows all rows."),
        "undo" if cx.screen == ScreenId::Deploys => None,
        "step" | "break" | "apply" | "undo" if !is_on_step => Some(TO_STEP),
        "undo" if !step.is_to_roll_back() => Some("No deploy here: {history} lists them, {undo-deploy} undoes one."),
        "step" | "break" | "apply" if !step.is_loaded() => Some("{plan} makes a plan first."),
        "step" => (step.is_at_end() && !step.is_running()).then_some("This run has ended: {plan} starts again."),
        "break" if step.phase.is_live() => None,
        "break" if step.is_at_end() => Some("This run has ended: {plan} starts again. Breakpoints are kept."),
        "break" if step.breaks.breakpoints.is_empty() => (step.turned() > 3).then_some("No breakpoint is set yet."),
        "break" if !step.has_break_ahead() && step.has_break_next() => {
            Some("The breakpoint is on the next step: set one on a later row.")
        }
        "break" if !step.has_break_ahead() => {
            Some("The run has passed the breakpoint: set one on a later row, or go back with {step-back}.")
        }
        "break" => Some("Breakpoint set: {continue} runs to it."),
        "apply" if step.phase.is_live() => Some("This is LIVE: {continue} continues."),
        "apply" if step.phase.ended().is_some() => Some("Nothing changed: {plan} makes another plan."),
        "find" if cx.layers.open.is_empty() && !front.words().is_empty() => {
            Some("Other text is there: {back} clears it.")
        }
        _ => None,
    }
}
