//! A deploy is taken back: asked for, begun, and heard of.

use super::arm::listed;
use super::cut_off::by_sudo;
use super::{Far, Phase, log, say_why};
use crate::plan::{Reversible, Step};
use crate::session::history::{UndoStep, Verdict};
use crate::tui::effect::Effect;
use crate::tui::jobs;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::action_word;
use crate::tui::message::Job;
use crate::tui::screen::step;
use crate::tui::screen::step::conflict::Decided;
use crate::tui::state::State as Tui;
use crate::tui::update;

/// Asks whether the deploy on show, or the one that was cut off, is to be taken back.
///
/// At once, with what the plan says of each step; [`foreseen`] tells it as the machine is, as soon as that was looked at.
pub fn ask_back(tui: &mut Tui) -> Vec<Effect> {
    let live = &tui.step.live;
    let (lines, effects) = match (&live.cut, live.deploy) {
        (Some(cut), None) => {
            let deploy = cut.takes_back.unwrap_or(cut.deploy);
            let mut lines = vec![format!("Take back deploy {deploy}, newest deed first?")];
            if cut.is_other {
                lines.push(format!("  of {}", cut.entry));
            }
            listed(&mut lines, "It had come this far:".into(), cut.deeds.iter().rev().cloned().collect());
            (lines, vec![])
        }
        (_, Some(deploy)) => {
            let steps = live.changed.iter().rev().filter_map(|id| tui.step.step_of(id));
            let fates = steps.map(|step| match step.reversible {
                Reversible::Yes => (named(step), Fate::Back),
                Reversible::Partly => (named(step), Fate::Partly),
                Reversible::No => (named(step), Fate::Lost),
            });
            // Root's history is read by root alone.
            let foresees = (!live.as_root).then_some(Effect::ForeseeBack { deploy, run: tui.step.run });
            (question(tui, deploy, fates.collect()), foresees.into_iter().collect())
        }
        (None, None) => return vec![],
    };
    tui.layers.push(Layer::confirm(lines, Action::RollBack));
    effects
}

/// What becomes of what a deploy did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Lost,
    /// A folder that stays for what it holds.
    Stays,
    /// Somebody else has been there: it is asked what is to become of it.
    Theirs,
    /// It is as it was before.
    Already,
    Back,
    Partly,
}

/// The question tells what an undo really does, where it is still asked.
pub(super) fn foreseen(tui: &mut Tui, deploy: u64, steps: &[UndoStep]) -> Vec<Effect> {
    if tui.step.live.deploy != Some(deploy) {
        return vec![];
    }
    let fates = steps.iter().filter(|step| step.deploy == deploy).map(|step| {
        let planned = tui.step.step_of(&step.resource).map_or_else(|| step.resource.to_string(), named);
        let told = |why: &str| format!("{}  {why}", step.resource);
        match &step.verdict {
            Verdict::Ready(_) => (planned, Fate::Back),
            Verdict::Empties { .. } | Verdict::Partly(..) => (planned, Fate::Partly),
            Verdict::Already => (planned, Fate::Already),
            Verdict::Conflict { why, .. } => (told(why), Fate::Theirs),
            Verdict::Stays(why) => (told(why), Fate::Stays),
            Verdict::Lost(_) => (planned, Fate::Lost),
        }
    });
    let lines = question(tui, deploy, fates.collect());
    let asked = tui.layers.iter_mut().find_map(|layer| match layer {
        Layer::Confirm { lines, action: Action::RollBack } => Some(lines),
        _ => None,
    });
    if let Some(asked) = asked {
        *asked = lines;
    }
    vec![]
}

/// A step as a question names it.
fn named(step: &Step) -> String {
    format!("{}  {}", step.resource, action_word(step.action))
}

/// The question, with what becomes of what the deploy did, newest first.
fn question(tui: &Tui, deploy: u64, mut fates: Vec<(String, Fate)>) -> Vec<String> {
    let live = &tui.step.live;
    let mut lines = vec![format!("Take back deploy {deploy}, newest first?")];
    if live.phase == Phase::Live && tui.step.next.is_some() {
        lines.push("What is not reached yet is left as it is.".into());
    }
    // Several deeds of one resource are one thing to whoever is asked.
    fates.dedup();
    let mut list = |heading: &str, is_meant: fn(Fate) -> bool| {
        let meant = fates.iter().filter(|(_, fate)| is_meant(*fate));
        let names: Vec<String> = meant
            .map(|(name, fate)| if *fate == Fate::Partly { format!("{name}  (in part)") } else { name.clone() })
            .collect();
        listed(&mut lines, format!("{} {heading}:", names.len()), names);
    };
    list("cannot be taken back", |fate| fate == Fate::Lost);
    list("kept", |fate| fate == Fate::Stays);
    list("changed by somebody else since, so it is asked once more", |fate| fate == Fate::Theirs);
    list("as before already", |fate| fate == Fate::Already);
    list("taken back", |fate| matches!(fate, Fate::Back | Fate::Partly));
    if let Some(cut) = &live.resumed {
        let deeds = cut.deeds.iter().rev().cloned().collect();
        listed(&mut lines, format!("Then deploy {}, which it went on with:", cut.deploy), deeds);
    }
    lines
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
    (state.live.phase, state.live.stops, state.live.far) = (Phase::TakingBack, 0, None);
    effects.push(Effect::TakeBack { deploy, decided, run: state.run, as_root: state.live.as_root });
    effects
}

/// An undo has come to so many of its deeds.
pub(super) fn goes_on(tui: &mut Tui, done: usize, of: usize) -> Vec<Effect> {
    let live = &mut tui.step.live;
    if live.phase == Phase::TakingBack {
        let since = live.far.map_or(tui.jobs.clock, |far| far.since);
        live.far = Some(Far { done, of, since });
        jobs::progress(tui, Job::Run, done, of);
    }
    vec![]
}

/// How far an undo is, and how long it still takes by how it went so far; nothing while none is at work.
pub fn undoing(tui: &Tui) -> Option<String> {
    let live = &tui.step.live;
    if live.phase != Phase::TakingBack {
        return None;
    }
    let Some(Far { done, of, since }) = live.far else { return Some("undoing".into()) };
    let mut words = format!("undoing {done}/{of}");
    if let Some(left) = step::order::left(tui, since, (done, of)) {
        words.push_str(&format!("  ~{} left", step::seconds(left)));
    }
    Some(words)
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
    (state.running, state.finished, state.live.phase, state.live.far) = (false, true, Phase::Over, None);
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
