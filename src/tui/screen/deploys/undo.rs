//! The undo of a deploy: its question, with what it would do, and its start.

use super::{State, detail::Detail, list::short_time};
use crate::session::history::{UndoStep, UndoSummary, ending_words, what_words};
use crate::tui::layer::{Layer, Question};
use crate::tui::screen::deploys::data::State as Deploys;
use crate::tui::screen::step::data::State as Step;
use crate::tui::screen::step::live::{self, Notice};
use crate::tui::{cx::Cx, keymap::Action, screen::log::Source};

fn question(deploys: &State) -> Option<Vec<String>> {
    let summary = deploys.summary()?;
    let mut lines = vec![format!("Undo deploy {}?", summary.deploy)];
    lines.extend(summary.begin.as_ref().map(|begin| format!("  {}  {}", short_time(&begin.time), what_words(begin))));
    lines.push(format!("  {}", ending_words(summary)));
    Some(lines)
}

/// Whether the notice answers a question of this list.
pub fn answers(deploys: &Deploys, step: &Step, cx: &mut Cx, notice: &Notice) -> bool {
    match notice {
        Notice::UndoPlanned { ask, deploy, steps: Ok(steps) } if *ask == step.live.ask => {
            on_undo_planned(deploys, cx, *deploy, steps)
        }
        _ => false,
    }
}

/// The undo was checked: the question shows it. False if this list did not ask.
fn on_undo_planned(deploys: &Deploys, cx: &mut Cx, deploy: u64, steps: &[UndoStep]) -> bool {
    if cx.layers.open.last().and_then(Layer::loads) != Some(Action::UndoDeploy) {
        return false;
    }
    cx.layers.open.pop();
    let Some(mut lines) = question(deploys).filter(|_| deploys.selected() == Some(deploy)) else {
        return true;
    };
    live::write_undo_plan(deploy, steps, &mut lines);
    if let Some(Detail::Deploy { deploy: record, .. }) = &deploys.detail
        && let Some(damage) = record.damage().filter(|_| record.begin.deploy == deploy)
    {
        lines.push(format!("Its journal is damaged: {damage}. Later changes cannot be undone."));
    }
    cx.layers.open.push(if UndoSummary::of(steps).is_idle() {
        // There is nothing to confirm.
        Question::report("Undo", lines.split_off(1)).into()
    } else {
        lines.push("For each resource that was changed since, you choose: keep or restore.".into());
        Question::yes(lines, Action::UndoDeploy).into()
    });
    true
}

/// The undo of the deploy under the cursor was confirmed; returns its number.
pub fn confirmed(deploys: &Deploys, cx: &mut Cx) -> Option<u64> {
    let deploy = deploys.selected()?;
    cx.log_command(format!("workbench deploy undo {deploy}"));
    cx.report(Source::Run, format!("undoing deploy {deploy}"));
    Some(deploy)
}
