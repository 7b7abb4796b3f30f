//! A deploy is taken back: asked for, begun, and heard of.

use super::arm::listed;
use super::cut_off::by_sudo;
use super::{Phase, log, say_why};
use crate::plan::Reversible;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::action_word;
use crate::tui::screen::step;
use crate::tui::screen::step::conflict::Decided;
use crate::tui::state::State as Tui;
use crate::tui::update;

/// Asks whether the deploy on show, or the one that was cut off, is to be taken back.
pub fn ask_back(tui: &mut Tui) -> Vec<Effect> {
    let mut lines = Vec::new();
    let live = &tui.step.live;
    match (&live.cut, live.deploy) {
        (Some(cut), None) => {
            let deploy = cut.takes_back.unwrap_or(cut.deploy);
            lines.push(format!("Take back deploy {deploy}, newest deed first?"));
            if cut.is_other {
                lines.push(format!("  of {}", cut.entry));
            }
            listed(&mut lines, "It had come this far:".into(), cut.deeds.iter().rev().cloned().collect());
        }
        (_, Some(deploy)) => {
            lines.push(format!("Take back deploy {deploy}, newest first?"));
            if live.phase == Phase::Live && tui.step.next.is_some() {
                lines.push("What is not reached yet is left as it is.".into());
            }
            let steps = live.changed.iter().rev().filter_map(|id| tui.step.step_of(id));
            let (mut back, mut lost) = (vec![], vec![]);
            for step in steps {
                let name = format!("{}  {}", step.resource, action_word(step.action));
                match step.reversible {
                    Reversible::Yes => back.push(name),
                    Reversible::Partly => back.push(format!("{name}  (in part)")),
                    Reversible::No => lost.push(name),
                }
            }
            listed(&mut lines, format!("{} cannot be taken back:", lost.len()), lost);
            listed(&mut lines, format!("{} taken back:", back.len()), back);
            if let Some(cut) = &live.resumed {
                let deeds = cut.deeds.iter().rev().cloned().collect();
                listed(&mut lines, format!("Then deploy {}, which it went on with:", cut.deploy), deeds);
            }
        }
        (None, None) => return vec![],
    }
    tui.layers.push(Layer::confirm(lines, Action::RollBack));
    vec![]
}

/// Takes it back, as was agreed to.
pub fn take_back(tui: &mut Tui) -> Vec<Effect> {
    let live = &tui.step.live;
    let cut = live.cut.as_ref().map(|cut| cut.takes_back.unwrap_or(cut.deploy));
    let Some(deploy) = live.deploy.or(cut) else { return vec![] };
    // What is cut off says whose history it is of; what is on show was begun here.
    let as_root = match (&live.cut, live.deploy) {
        (Some(cut), None) => cut.as_root,
        _ => live.as_root,
    };
    (tui.step.live.as_root, tui.step.live.has_asked) = (as_root, false);
    update::log_command(tui, format!("workbench deploy undo {deploy}{}", by_sudo(as_root)));
    begin_back(tui, deploy, None)
}

/// Takes it back, as was decided where that was asked.
pub fn begin_back(tui: &mut Tui, deploy: u64, decided: Option<Decided>) -> Vec<Effect> {
    tui.step.live.was_watched = tui.step.watch.is_on();
    let mut effects = step::watch::end(tui);
    let state = &mut tui.step;
    // Nothing that the run still tells is listened to.
    state.run += 1;
    (state.running, state.stepping, state.owed, state.next) = (true, false, 0, None);
    state.ready.clear();
    (state.live.phase, state.live.stops) = (Phase::TakingBack, 0);
    effects.push(Effect::TakeBack { deploy, decided, as_root: tui.step.live.as_root });
    effects
}

/// Nothing was taken back: all is as it was put in place, and watched again where it was.
pub(super) fn refused(tui: &mut Tui, deploy: u64, why: Vec<String>) -> Vec<Effect> {
    let mut effects = taken_back(tui, deploy, Err(why));
    effects.extend(watch_again(tui));
    effects
}

/// Nothing was taken back yet: what was under watch is again.
pub(in crate::tui::screen::step) fn watch_again(tui: &mut Tui) -> Vec<Effect> {
    let was_watched = std::mem::take(&mut tui.step.live.was_watched);
    if was_watched { step::watch::begin(tui) } else { vec![] }
}

/// It was taken back, or could not be.
pub(super) fn taken_back(tui: &mut Tui, deploy: u64, result: Result<Vec<String>, Vec<String>>) -> Vec<Effect> {
    let state = &mut tui.step;
    (state.running, state.finished, state.live.phase) = (false, true, Phase::Over);
    state.summary = true;
    let (title, lines, effects) = match result {
        Ok(lines) => {
            (state.live.deploy, state.live.cut) = (None, None);
            (state.live.changed, state.live.changed_ids) = Default::default();
            ("Taken back", lines, step::plan(tui))
        }
        Err(lines) => {
            state.live.deploy = Some(deploy);
            let as_root = state.live.as_root;
            say_why(tui, lines.join(" "));
            // It may wait for somebody, or have been cut off.
            ("Not taken back", lines, vec![Effect::LookBack { as_root }])
        }
    };
    lines.iter().for_each(|line| log(tui, line.clone()));
    tui.layers.push(Layer::Told { title: title.into(), lines });
    effects
}
