//! A deploy is taken back: asked for, begun, and heard of.
//!
//! Looking at what it left comes before anything is done, may take a while, and can be given up; then all is as it was.

use super::arm::{Names, listed};
use super::cut_off::by_sudo;
use super::{Cut, Far, Looks, Phase, back_to_dry, cut_off, log, say_why};
use crate::engine::message::Request;
use crate::plan::Reversible;
use crate::session::history::{Foreseen, UndoStep, Verdict};
use crate::tui::effect::Effect;
use crate::tui::events;
use crate::tui::jobs;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::{Role, action_word};
use crate::tui::message::Job;
use crate::tui::screen::step::conflict::Decided;
use crate::tui::screen::step::redo::Redo;
use crate::tui::screen::{deploys, step};
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::text;

/// A live run that put all in place, as taking it back is asked about: its rows may have made room for others.
#[derive(Clone, Debug)]
pub struct PutInPlace {
    pub deploy: u64,
    as_root: bool,
    fates: Fates,
}

impl PutInPlace {
    /// The run on show; nothing where it changed nothing.
    pub fn of(tui: &Tui) -> Option<Self> {
        let live = &tui.step.live;
        let deploy = live.deploy.filter(|_| live.has_changed())?;
        Some(Self { deploy, as_root: live.as_root, fates: Fates::planned(tui) })
    }
}

impl step::State {
    /// What a live run of this session put in place and stands, until another is live or it is taken back: it can be taken back
    /// whatever plan is on show.
    pub fn put_in_place(&self) -> Option<&PutInPlace> {
        self.live.put.as_ref()
    }
}

/// What an undo will do, as far as a question has room for it.
#[derive(Clone, Debug, Default)]
struct Fates(Vec<(String, Names)>);

impl Fates {
    /// As the plan says of each step that the run on show has made, until the machine was looked at.
    fn planned(tui: &Tui) -> Self {
        let (mut back, mut lost) = (Names::default(), Names::default());
        for step in tui.step.live.changed.iter().rev().filter_map(|id| tui.step.step_of(id)) {
            let named = || format!("{}  {}", step.resource, action_word(step.action));
            match step.reversible {
                Reversible::Yes => back.add(named),
                Reversible::Partly => back.add(|| named() + " (partly)"),
                Reversible::No => lost.add(named),
            }
        }
        let heading = |names: &Names, words: &str| (format!("{} {words}:", names.count()), names.clone());
        Self(vec![heading(&back, "will be undone"), heading(&lost, "cannot be undone")])
    }

    /// As the machine is.
    fn foreseen(steps: &[UndoStep]) -> Self {
        let foreseen = Foreseen::of(steps);
        let group = |(heading, all): (String, &[String])| {
            let mut names = Names::default();
            all.iter().for_each(|name| names.add(|| text::safe(name)));
            (heading, names)
        };
        Self(foreseen.groups().into_iter().map(group).collect())
    }

    fn tell(self, lines: &mut Vec<String>) {
        self.0.into_iter().for_each(|(heading, names)| names.tell_under(lines, heading));
    }
}

/// Asks whether the deploy on show, or the one that was cut off, or the one under watch is to be taken back.
///
/// At once, with what the plan says of each step; [`foreseen`] tells it as the machine is, as soon as that was looked at.
pub fn ask_back(tui: &mut Tui) -> Vec<Effect> {
    let live = &tui.step.live;
    let (lines, effects) = match (live.deploy, &live.cut, tui.step.put_in_place()) {
        (None, Some(cut), _) => {
            let mut lines = cut_question(cut);
            listed(&mut lines, "It did this before it was interrupted:".into(), cut.deeds.iter().rev().cloned());
            let looks = foresee(tui, to_take_back(cut), cut.as_root);
            (lines, looks.into_iter().chain(cut_off::look_again(tui)).collect())
        }
        (Some(deploy), ..) => (question(tui, deploy, Fates::planned(tui)), foresee(tui, deploy, live.as_root)),
        (None, None, Some(put)) => {
            (question(tui, put.deploy, put.fates.clone()), foresee(tui, put.deploy, put.as_root))
        }
        (None, None, None) => return vec![],
    };
    tui.layers.push(Layer::confirm(lines, Action::RollBack));
    effects
}

/// What was cut off may have been an undo itself: then the deploy that it is of.
fn to_take_back(cut: &Cut) -> u64 {
    cut.takes_back.unwrap_or(cut.deploy)
}

fn cut_question(cut: &Cut) -> Vec<String> {
    let mut lines = vec![format!("Undo deploy {}?", to_take_back(cut))];
    if cut.is_other {
        lines.push(format!("  of {}", cut.entry));
    }
    lines
}

/// Root's history is read by root alone.
fn foresee(tui: &Tui, deploy: u64, as_root: bool) -> Vec<Effect> {
    (!as_root).then_some(Effect::ForeseeBack { deploy, run: tui.step.run }).into_iter().collect()
}

/// The question tells what an undo really does, where it is still asked.
pub(super) fn foreseen(tui: &mut Tui, deploy: u64, steps: &[UndoStep]) -> Vec<Effect> {
    if deploys::foreseen(tui, deploy, steps) {
        return vec![];
    }
    if is_back_already(tui, deploy, steps) {
        tui.step.live.put = None;
        tui.withdraw(|layer| matches!(layer, Layer::Confirm { action: Action::RollBack, .. }));
        let words = format!("nothing to undo: all changes of deploy {deploy} are already undone");
        log(tui, words.clone());
        tui.say(Role::Note, words);
        return vec![];
    }
    let live = &tui.step.live;
    let cut = live.cut.as_ref().filter(|_| live.deploy.is_none());
    let put = || tui.step.put_in_place().map(|put| put.deploy);
    if live.deploy.or(cut.map(to_take_back)).or_else(put) != Some(deploy) {
        return vec![];
    }
    let told = match cut {
        Some(cut) => {
            let mut lines = cut_question(cut);
            tell_foreseen(deploy, steps, &mut lines);
            lines
        }
        None => question(tui, deploy, Fates::foreseen(steps)),
    };
    let is_idle = cut.is_none() && Foreseen::of(steps).is_idle();
    for layer in tui.all_layers_mut() {
        match layer {
            // There is nothing to agree to.
            Layer::Confirm { action: Action::RollBack, .. } if is_idle => {
                let lines = vec![format!("Nothing in deploy {deploy} can be undone.")];
                *layer = Layer::Told {
                    title: "Undo".into(),
                    lines: lines.into_iter().chain(told[1..].iter().cloned()).collect(),
                };
            }
            Layer::Confirm { lines, action: Action::RollBack } => lines.clone_from(&told),
            _ => {}
        }
    }
    vec![]
}

/// Whether nothing is left of what is in place while other rows are on show: somebody else took it back.
fn is_back_already(tui: &Tui, deploy: u64, steps: &[UndoStep]) -> bool {
    let live = &tui.step.live;
    let is_put = live.deploy.is_none() && live.cut.is_none();
    let is_put = is_put && tui.step.put_in_place().is_some_and(|put| put.deploy == deploy);
    is_put && !steps.is_empty() && steps.iter().all(|step| step.verdict == Verdict::Already)
}

/// What an undo of a deploy of the history will do, as the machine is; with what it went on with.
pub fn tell_foreseen(deploy: u64, steps: &[UndoStep], lines: &mut Vec<String>) {
    if Foreseen::of(steps).is_idle() {
        lines.push(format!("Nothing in deploy {deploy} can be undone."));
    }
    Fates::foreseen(steps).tell(lines);
}

/// The question, with what becomes of what the deploy did.
fn question(tui: &Tui, deploy: u64, fates: Fates) -> Vec<String> {
    let live = &tui.step.live;
    let mut lines = vec![format!("Undo deploy {deploy}?")];
    if live.phase == Phase::Live && tui.step.next.is_some() {
        lines.push("The deploy ends; the steps that are left are not run.".into());
    }
    fates.tell(&mut lines);
    lines
}

/// Takes it back, as was agreed to.
pub fn take_back(tui: &mut Tui) -> Vec<Effect> {
    let live = &tui.step.live;
    // What is cut off, or in place, says whose history it is of; what is on show was begun here.
    let (deploy, as_root) = match (live.deploy, &live.cut, tui.step.put_in_place()) {
        (Some(deploy), ..) => (deploy, live.as_root),
        (None, Some(cut), _) => (to_take_back(cut), cut.as_root),
        (None, None, Some(put)) => (put.deploy, put.as_root),
        (None, None, None) => return vec![],
    };
    (tui.step.live.as_root, tui.step.live.has_asked) = (as_root, false);
    update::log_command(tui, format!("workbench deploy undo {deploy}{}", by_sudo(as_root)));
    begin_back(tui, deploy, None)
}

/// Takes it back, as was decided where that was asked.
pub fn begin_back(tui: &mut Tui, deploy: u64, decided: Option<Decided>) -> Vec<Effect> {
    let state = &mut tui.step;
    state.live.came_from = state.live.phase;
    if state.live.phase == Phase::Dry {
        state.live.left = Redo::of(state);
    }
    let mut effects = step::watch::hold(tui);
    let ended = events::end_own(tui);
    let state = &mut tui.step;
    state.live.was_followed = !ended.is_empty();
    effects.extend(ended);
    // Nothing that the run still tells is listened to.
    state.run += 1;
    (state.running, state.stepping, state.owed, state.next) = (true, false, 0, None);
    state.ready.clear();
    (state.live.phase, state.live.stops, state.live.far) = (Phase::TakingBack, 0, None);
    effects.push(Effect::TakeBack { deploy, decided, run: state.run, as_root: state.live.as_root });
    looks(tui, Looks::Back(deploy));
    effects
}

/// Says what is looked at, before it is.
pub(super) fn looks(tui: &mut Tui, looks: Looks) {
    tui.step.live.looks = Some(looks);
    tui.say(
        Role::Note,
        match looks {
            Looks::Back(deploy) => {
                format!("checking what to undo of deploy {deploy}; Esc cancels")
            }
            Looks::Resume(deploy) => format!("checking the interrupted deploy {deploy}; Esc cancels"),
        },
    );
}

/// It was looked at: what said so is no longer true.
pub(super) fn looked(tui: &mut Tui) -> Option<Looks> {
    let looks = tui.step.live.looks.take()?;
    tui.take_back_note();
    Some(looks)
}

/// Gives up what is only looked at so far; nothing where nothing is.
pub fn give_up(tui: &mut Tui) -> Option<Vec<Effect>> {
    tui.step.live.looks?;
    tui.say(Role::Note, "cancelling…");
    Some(vec![Effect::GiveUp])
}

/// It was given up before anything was done.
pub(super) fn given_up(tui: &mut Tui) -> Vec<Effect> {
    let looked = looked(tui);
    let effects = as_before(tui, None);
    let words = match looked {
        Some(Looks::Back(deploy)) => format!("cancelled: nothing of deploy {deploy} was undone"),
        _ => "cancelled: nothing was undone".into(),
    };
    log(tui, words.clone());
    tui.say(Role::Note, words);
    effects
}

/// Nothing was done: the rows are as they were, and what was watched is again. `deploy` is the one to try again with, where the
/// rows tell of what was live.
pub(in crate::tui::screen::step) fn as_before(tui: &mut Tui, deploy: Option<u64>) -> Vec<Effect> {
    let was_followed = std::mem::take(&mut tui.step.live.was_followed);
    looked(tui);
    tui.step.live.far = None;
    let mut effects = match tui.step.live.came_from {
        Phase::Dry => back_to_dry(tui),
        _ => {
            let state = &mut tui.step;
            (state.running, state.finished, state.summary) = (false, true, true);
            state.live.phase = Phase::Over;
            state.live.deploy = deploy.or(state.live.deploy);
            vec![]
        }
    };
    effects.extend(step::watch::go_on(tui));
    if was_followed {
        effects.extend(events::follow_on(tui));
    }
    effects
}

/// An undo has come to so many of its deeds.
pub(super) fn goes_on(tui: &mut Tui, done: usize, of: usize) -> Vec<Effect> {
    if let Some(Looks::Back(deploy)) = looked(tui) {
        let changes = if of == 1 { "change" } else { "changes" };
        tui.say(Role::Note, format!("undoing {of} {changes} of deploy {deploy}; Ctrl-C stops"));
    }
    let live = &mut tui.step.live;
    if live.phase == Phase::TakingBack {
        live.far = Some(Far { done, of });
        jobs::progress(tui, Job::Run, done, of);
    }
    vec![]
}

/// How far an undo is; nothing while none is at work.
pub fn undoing(tui: &Tui) -> Option<String> {
    let live = &tui.step.live;
    if live.phase != Phase::TakingBack {
        return None;
    }
    let Some(Far { done, of }) = live.far else {
        return Some(if live.looks.is_some() { "checking" } else { "undoing" }.into());
    };
    Some(format!("undoing {done}/{of}"))
}

/// Nothing was taken back: all is as it was put in place, and watched again where it was.
pub(super) fn refused(tui: &mut Tui, deploy: u64, why: Vec<String>) -> Vec<Effect> {
    let mut effects = as_before(tui, Some(deploy));
    effects.extend(not_taken_back(tui, why));
    effects
}

fn not_taken_back(tui: &mut Tui, lines: Vec<String>) -> Vec<Effect> {
    say_why(tui, lines.join(" "));
    tell(tui, "Not undone", lines);
    // It may wait for somebody, or have been cut off.
    vec![Effect::LookBack { as_root: tui.step.live.as_root }]
}

fn tell(tui: &mut Tui, title: &str, lines: Vec<String>) {
    lines.iter().for_each(|line| log(tui, line.clone()));
    tui.layers.push(Layer::Told { title: title.into(), lines });
}

/// It was taken back, or could not be.
pub(super) fn taken_back(tui: &mut Tui, deploy: u64, result: Result<Vec<String>, Vec<String>>) -> Vec<Effect> {
    looked(tui);
    let state = &mut tui.step;
    (state.running, state.finished, state.live.phase, state.live.far) = (false, true, Phase::Over, None);
    state.summary = true;
    let mut effects = step::watch::end(tui);
    let live = &mut tui.step.live;
    let was_followed = std::mem::take(&mut live.was_followed);
    match result {
        Ok(lines) => {
            (live.deploy, live.cut) = (None, None);
            live.put.take_if(|put| put.deploy == deploy);
            (live.changed, live.changed_ids) = Default::default();
            tui.take_back_note();
            // What the program read was followed, and is read again as it is by now.
            tui.plans_next |= was_followed;
            effects.extend(if was_followed { update::recompile(tui) } else { step::plan(tui) });
            tell(tui, "Undone", lines);
        }
        Err(lines) => {
            live.deploy = Some(deploy);
            effects.extend(not_taken_back(tui, lines));
        }
    }
    effects
}

/// What Ctrl-C asks of an undo that is at work, at the first time and after that.
pub(super) fn stopped_by(tui: &mut Tui, times: u8) -> Vec<Effect> {
    if let Some(effects) = give_up(tui) {
        return effects;
    }
    if times == 1 {
        tui.say(Role::Note, "stopping after this change; Ctrl-C again detaches");
        return vec![Effect::Send(Request::Stop)];
    }
    tui.say(Role::Warning, "detached: it finishes the current change, then waits");
    vec![Effect::LetGo]
}
