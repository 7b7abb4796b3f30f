//! A deploy is taken back: asked for, with what that would do, and begun.

use rustc_hash::FxHashSet;

use super::detail::Detail;
use super::list::short_time;
use crate::plan::Reversible;
use crate::session::history::{Deploy, Foreseen, Purpose, UndoStep, ending_words, foretell_undo, what_words};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::screen::log::Source;
use crate::tui::screen::step::live::{self, Names};
use crate::tui::state::State as Tui;
use crate::tui::update::{log, log_command};

/// Asks whether the deploy under the cursor is to be taken back, at once with what its record says of that; [`foreseen`] tells it
/// as the machine is, as soon as that was looked at.
pub(super) fn ask(tui: &mut Tui) -> Vec<Effect> {
    let (Some(mut lines), Some(deploy)) = (question(tui), tui.deploys.selected()) else { return vec![] };
    match &tui.deploys.detail {
        Some(Detail::Deploy { deploy: record, .. }) if record.begin.deploy == deploy => foretell(record, &mut lines),
        // Its record is still being read, or something else is told of.
        _ => lines.push("Changes that cannot be undone are listed and kept. An undo can be undone.".into()),
    }
    tui.layers.push(Layer::confirm(lines, Action::UndoDeploy));
    vec![Effect::ForeseeBack { deploy, run: tui.step.run }]
}

fn question(tui: &Tui) -> Option<Vec<String>> {
    let summary = tui.deploys.summary()?;
    let mut lines = vec![format!("Undo deploy {}?", summary.deploy)];
    lines.extend(summary.begin.as_ref().map(|begin| format!("  {}  {}", short_time(&begin.time), what_words(begin))));
    lines.push(format!("  {}", ending_words(summary)));
    Some(lines)
}

/// The machine was looked at: the question tells what an undo really does, where it is still asked. False where this list does
/// not ask.
pub fn foreseen(tui: &mut Tui, deploy: u64, steps: &[UndoStep]) -> bool {
    let Some(Layer::Confirm { action: Action::UndoDeploy, .. }) = tui.layers.last() else { return false };
    let Some(mut told) = question(tui).filter(|_| tui.deploys.selected() == Some(deploy)) else { return true };
    live::tell_foreseen(deploy, steps, &mut told);
    if Foreseen::of(steps).is_idle() {
        // There is nothing to agree to.
        if let Some(layer) = tui.layers.last_mut() {
            *layer = Layer::Told { title: "Undo".into(), lines: told.split_off(1) };
        }
        return true;
    }
    told.push("You are asked about resources that someone else changed. An undo can be undone.".into());
    if let Some(Layer::Confirm { lines, .. }) = tui.layers.last_mut() {
        *lines = told;
    }
    true
}

/// What the record of a deploy says of taking it back: before that is agreed to, and not after.
fn foretell(deploy: &Deploy, lines: &mut Vec<String>) {
    let (mut back, mut lost) = (Names::default(), Names::default());
    // Several deeds of one resource are one thing to whoever is asked, and what cannot be taken back comes first.
    let mut seen = FxHashSet::default();
    let lost_first = [true, false]
        .into_iter()
        .flat_map(|lost| foretell_undo(deploy).filter(move |foretold| (foretold.reversible == Reversible::No) == lost));
    for foretold in lost_first.filter(|foretold| seen.insert(foretold.resource)) {
        let name = || format!("{}  {}", foretold.resource, foretold.deed.words());
        match foretold.reversible {
            Reversible::Yes => back.add(name),
            Reversible::Partly => back.add(|| format!("{}  (partly)", name())),
            Reversible::No => lost.add(name),
        }
    }
    if back.is_empty() && lost.is_empty() {
        lines.push("Nothing in it can be undone.".into());
    }
    lost.tell(lines, "cannot be undone");
    back.tell(lines, "will be undone");
    if let Purpose::Resume { deploy } = deploy.begin.purpose {
        lines.push(format!("Then deploy {deploy}, which it resumed."));
    }
    if let Some(damage) = deploy.damage() {
        lines.push(format!("Its journal is damaged: {damage}. Later changes cannot be undone."));
    }
    lines.push("You are asked about resources that someone else changed. An undo can be undone.".into());
}

/// Takes the deploy under the cursor back, as was agreed to.
pub fn take_back(tui: &mut Tui) -> Vec<Effect> {
    let Some(deploy) = tui.deploys.selected() else { return vec![] };
    log_command(tui, format!("workbench deploy undo {deploy}"));
    log(tui, Source::Run, format!("undoing deploy {deploy}"));
    // This list is our own history.
    tui.step.live.is_ours();
    live::begin_back(tui, deploy, None)
}
